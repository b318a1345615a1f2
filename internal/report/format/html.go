package format

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// encodeHTML is one page that needs no other file and no network. The findings with their stacks
// and timelines are there without scripts; the page's scripts filter them and go through a schedule
// step by step.
//
//	(H1) html/template escapes all text of the report;
//	(H2) a finding is folded, so that a browser lays out only those that are opened;
//	(H3) the page has the source lines that findings point to, each once.
func encodeHTML(r *report.Report) ([]byte, error) {
	p := page{
		Report: r, Style: template.CSS(htmlStyle), Script: template.JS(htmlScript), Summary: Summary(r.Findings),
	}
	src := newSources(r.Root)
	findings := shown(r.Findings)
	p.Verdicts = verdictsOf(findings)
	p.Counts = counts(findings, p.Verdicts)
	for i := range findings {
		p.Findings = append(p.Findings, newCard(&findings[i], src))
	}
	for i := range r.Directed {
		p.Directed = append(p.Directed, newCard(&r.Directed[i], src))
	}
	p.Packages = p.packages()
	for i := range r.Findings {
		if f := &r.Findings[i]; waive.Silent(f.Waived) {
			p.Waived = append(p.Waived, waived{f.ID, headline(f), f.Waived})
		}
	}
	p.Sources = src.lines
	var b bytes.Buffer
	err := htmlPage.Execute(&b, &p)
	return b.Bytes(), err
}

var (
	//go:embed html/report.css
	htmlStyle string
	//go:embed html/report.js
	htmlScript string
	//go:embed html/report.tmpl
	htmlText string

	htmlPage = template.Must(template.New("report").Funcs(template.FuncMap{"short": shortName}).Parse(htmlText))
)

// shortName is a function's name without the directories of its package.
func shortName(fn string) string {
	end := len(fn)
	if i := strings.IndexByte(fn, '['); i >= 0 { // type arguments have slashes of their own
		end = i
	}
	return fn[strings.LastIndexByte(fn[:end], '/')+1:]
}

// page is the template's input.
type page struct {
	*report.Report
	Style    template.CSS
	Script   template.JS
	Summary  string
	Verdicts []report.Verdict // the columns of
	Counts   []count
	Packages []string
	Findings []*card
	Directed []*card
	Waived   []waived
	Sources  map[string]map[int]string // by file and line
}

// verdictsOf are the verdicts that findings have, surest first.
func verdictsOf(findings []report.Finding) (list []report.Verdict) {
	for _, v := range []report.Verdict{report.Confirmed, report.Observed, report.Predicted, report.Possible} {
		if slices.ContainsFunc(findings, func(f report.Finding) bool { return f.Verdict == v }) {
			list = append(list, v)
		}
	}
	return list
}

func (p *page) packages() (list []string) {
	for _, c := range p.Findings {
		list = append(list, c.Package)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// waived is a finding of which the page has a line only.
type waived struct{ ID, Headline, Why string }

// count is a line of the table of findings: so many of a kind, by verdict.
type count struct {
	Kind      report.Kind
	Title     string
	Total     int
	ByVerdict []int
}

func counts(findings []report.Finding, verdicts []report.Verdict) (list []count) {
	for _, k := range report.Kinds {
		c := count{Kind: k, Title: ruleOf(k).title, ByVerdict: make([]int, len(verdicts))}
		for i := range findings {
			if v := slices.Index(verdicts, findings[i].Verdict); findings[i].Kind == k && v >= 0 {
				c.ByVerdict[v]++
				c.Total++
			}
		}
		if c.Total > 0 {
			list = append(list, c)
		}
	}
	return list
}

// card is a finding.
type card struct {
	*report.Finding
	Title    string
	What     string // of its kind
	Help     string
	Sentence string // of its verdict
	Where    []string
	Accesses []*accessView
	Orders   []*timeline
	Steps    bool // there is something to go through
	Lanes    []lane
	Passes   bool // it fails nothing
	Text     string
}

func newCard(f *report.Finding, src *sources) *card {
	rule := ruleOf(f.Kind)
	c := &card{Finding: f, Title: rule.title, What: rule.what, Help: rule.help, Sentence: f.Sentence(), Passes: !f.Fails()}
	search := []string{f.ID, f.Package, f.Test, f.Variable, f.Fingerprint, f.Note}
	for i := range f.Accesses {
		a := newAccess(f, i, src)
		c.Accesses = append(c.Accesses, a)
		c.Where = append(c.Where, fmt.Sprintf("%s %s:%d", a.Op, path.Base(a.File), a.Line))
		search = append(search, a.Op, a.Expr, fmt.Sprintf("%s:%d", a.File, a.Line))
		for _, fr := range slices.Concat(f.Accesses[i].Stack, f.Accesses[i].Created) {
			search = append(search, fr.Func)
		}
	}
	for _, p := range f.Also {
		for _, a := range p.Accesses {
			search = append(search, a.Expr, fmt.Sprintf("%s:%d", a.File, a.Line))
		}
		search = append(search, p.Test)
	}
	c.Lanes, c.Orders = timelines(f)
	for _, t := range c.Orders {
		for i := range t.Marks {
			src.need(t.Marks[i].File, t.Marks[i].Line)
		}
		c.Steps = c.Steps || t.Stepped
	}
	for _, a := range c.Accesses {
		a.Lane = laneOf(c.Lanes, a.Goroutine)
	}
	slices.Sort(search)
	c.Text = strings.ToLower(strings.Join(slices.Compact(search), " "))
	return c
}

// accessView is a participant of a finding.
type accessView struct {
	*report.Access
	N       int // from 1
	Role    string
	Who     string
	Lane    int
	Snippet []sourceLine
}

func newAccess(f *report.Finding, i int, src *sources) *accessView {
	a := &f.Accesses[i]
	v := &accessView{Access: a, N: i + 1, Who: report.GoroutineName(a.Thread, a.Goroutine), Role: a.Op}
	if f.Kind.Waits() {
		v.Role = "waits: " + a.Op
	}
	v.Snippet = src.snippet(a.File, a.Line, aroundAccess)
	src.need(a.File, a.Line)
	return v
}

// Stack and Created are the frames that the text format shows.
func (a *accessView) Stack() []report.Frame   { return report.AboveRunner(a.Access.Stack) }
func (a *accessView) Created() []report.Frame { return report.WithoutRunner(a.Access.Created) }
