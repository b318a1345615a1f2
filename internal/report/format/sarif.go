package format

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// maxRelated is how many locations of a result there are beside the first one.
const maxRelated = 20

// sourceRoot is the base of relative URIs: the root of the repository.
const sourceRoot = "%SRCROOT%"

// encodeSARIF is the report in SARIF 2.1.0, as code scanning of GitHub wants it:
//
//	(F1) a rule for each kind of finding, with all of its descriptions;
//	(F2) a region has lines and columns, of the repository's root if the file is in it;
//	(F3) the first location is the later access that is in the repository, and the message links to
//	     the others;
//	(F4) a code flow has a thread flow for each goroutine: its steps of the witness; without a
//	     witness, the stacks from its start to its access; none for what was found without a run;
//	(F5) primaryLocationLineHash, by which GitHub tells alerts apart, is the finding's fingerprint;
//	(F7) a finding that was seen at several places has them as related locations, and their number;
//	(F6) a finding that the baseline, a comment or a suppression waives is a suppressed result.
func encodeSARIF(r *report.Report) ([]byte, error) {
	run := sarif.NewRun()
	driver := sarif.NewToolComponent()
	driver.WithName(r.Tool.Name).WithInformationURI("https://github.com/racepred/racepred").WithRules(rules())
	if r.Tool.Version != "" {
		driver.WithVersion(r.Tool.Version)
	}
	run.Tool = sarif.NewTool().WithDriver(driver)
	w := sarifWriter{r.Dir, fmt.Sprintf("racepred/v%d", r.Fingerprints)}
	for i := range r.Findings {
		run.AddResult(w.result(&r.Findings[i]))
	}
	run.AddInvocation(invocation(r))
	out := sarif.NewReport()
	out.AddRun(run)
	var b bytes.Buffer
	err := out.PrettyWrite(&b)
	return append(b.Bytes(), '\n'), err
}

// rules are (F1), in the order of report.Kinds.
func rules() []*sarif.ReportingDescriptor {
	var all []*sarif.ReportingDescriptor
	for _, k := range report.Kinds {
		d := ruleOf(k)
		rule := sarif.NewRule(d.id).WithName(d.id).WithShortDescription(text(d.title)).WithFullDescription(text(d.what))
		rule.WithHelp(text(d.help).WithMarkdown(d.help))
		rule.WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(d.level))
		rule.WithProperties(sarif.NewPropertyBag().Add("precision", "very-high").Add("problem.severity", d.level).WithTags([]string{"concurrency"}))
		all = append(all, rule)
	}
	return all
}

func text(s string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(s)
}

// invocation has what was not covered.
func invocation(r *report.Report) *sarif.Invocation {
	done := sarif.NewInvocation().WithExecutionSuccessful(true)
	for _, u := range r.Uncovered {
		note := sarif.NewNotification().WithLevel(sarif.LevelNote)
		note.WithMessage(sarif.NewTextMessage("not covered: " + u.String()))
		done.AddToolExecutionNotification(note)
	}
	return done
}

// sarifWriter turns findings into results.
type sarifWriter struct {
	dir         string // report.Report.Dir
	fingerprint string // what partialFingerprints calls the finding's fingerprint, with its version
}

func (w *sarifWriter) result(f *report.Finding) *sarif.Result {
	d := ruleOf(f.Kind)
	res := sarif.NewRuleResult(d.id).WithLevel(level(f)).WithRuleIndex(slices.Index(report.Kinds, f.Kind))
	res.WithPartialFingerprints(map[string]string{"primaryLocationLineHash": f.Fingerprint, w.fingerprint: f.Fingerprint}) // (F5)
	first := primary(f)
	var others []string
	for i := range f.Accesses {
		a := &f.Accesses[i]
		if i == first {
			res.AddLocation(w.location(a.File, a.Line, a.Column, a.Expr, describe(a)))
			continue
		}
		id := len(res.RelatedLocations) + 1
		res.AddRelatedLocation(w.location(a.File, a.Line, a.Column, a.Expr, describe(a)).WithID(id))
		others = append(others, fmt.Sprintf("[%s](%d)%s", a.Op, id, unlinked(strings.TrimPrefix(describe(a), a.Op))))
	}
	for _, p := range f.Also { // those that are not among them yet
		for _, a := range p.Accesses {
			at := w.location(a.File, a.Line, a.Column, a.Expr, a.Op+" at another place").WithID(len(res.RelatedLocations) + 1)
			if len(res.RelatedLocations) < maxRelated && !slices.ContainsFunc(slices.Concat(res.Locations, res.RelatedLocations), func(l *sarif.Location) bool {
				return reflect.DeepEqual(l.PhysicalLocation, at.PhysicalLocation)
			}) {
				res.AddRelatedLocation(at)
			}
		}
	}
	if len(f.Also) > 0 {
		res.WithOccurrenceCount(1 + len(f.Also))
	}
	res.WithMessage(sarif.NewTextMessage(message(f, first, others, unlinked)))
	if waive.Silent(f.Waived) { // (F6)
		kind := "external"
		if strings.HasPrefix(f.Waived, waive.ByIgnore) {
			kind = "inSource"
		}
		res.AddSuppression(sarif.NewSuppression().WithKind(kind).WithJustification(f.Waived))
	}
	if flow := w.codeFlow(f); flow != nil {
		res.AddCodeFlow(flow)
	}
	props := sarif.NewPropertyBag().Add("verdict", string(f.Verdict)).Add("by", f.By).Add("package", f.Package)
	if f.Test != "" {
		props.Add("test", f.Test)
	}
	return res.WithProperties(props)
}

// unlinked keeps brackets, as those of an index, from being read as a link's.
func unlinked(s string) string { return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(s) }

func level(f *report.Finding) string {
	switch {
	case f.Fails():
		return sarif.LevelError
	case f.Verdict == report.Possible || f.Waived != "":
		return sarif.LevelNote
	}
	return sarif.LevelWarning
}

// location is (F2). If the line is not known, it is the file's first one.
func (w *sarifWriter) location(file string, line, column int, expr, what string) *sarif.Location {
	at := sarif.NewArtifactLocation()
	if path.IsAbs(file) {
		at.WithURI((&url.URL{Scheme: "file", Path: file}).String())
	} else {
		at.WithURI((&url.URL{Path: path.Join(w.dir, file)}).String()).WithURIBaseID(sourceRoot)
	}
	line, column = max(line, 1), max(column, 1)
	region := sarif.NewRegion().WithStartLine(line).WithEndLine(line).WithStartColumn(column).WithEndColumn(column + max(len(expr), 1))
	l := sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(at).WithRegion(region))
	if what != "" {
		l.WithMessage(sarif.NewTextMessage(what))
	}
	return l
}

// codeFlow is (F4).
func (w *sarifWriter) codeFlow(f *report.Finding) *sarif.CodeFlow {
	if f.Verdict == report.Static {
		return nil
	}
	flow, order := sarif.NewCodeFlow(), 0
	threads := map[string]*sarif.ThreadFlow{}
	step := func(name, file string, line, column int, what, importance string) {
		if file == "" {
			return
		}
		t := threads[name]
		if t == nil {
			t = sarif.NewThreadFlow().WithID(name).WithMessage(sarif.NewTextMessage(name))
			threads[name] = t
			flow.AddThreadFlow(t)
		}
		order++
		at := sarif.NewThreadFlowLocation().WithExecutionOrder(order).WithImportance(importance).WithLocation(w.location(file, line, column, "", what))
		t.AddLocation(at)
	}
	if f.Witness != nil {
		for _, s := range f.Witness.Steps {
			step(report.GoroutineName(s.Thread, s.Goroutine), s.File, s.Line, 0, s.Op, "important")
		}
	}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		name := report.GoroutineName(a.Thread, a.Goroutine)
		if f.Witness == nil {
			for _, fr := range slices.Backward(a.Created) {
				step(name, fr.File, fr.Line, 0, "created in "+fr.Func, "unimportant")
			}
			for _, fr := range slices.Backward(a.Stack) {
				step(name, fr.File, fr.Line, 0, "in "+fr.Func, "important")
			}
		}
		step(name, a.File, a.Line, a.Column, describe(a), "essential")
	}
	if order == 0 {
		return nil
	}
	return flow
}
