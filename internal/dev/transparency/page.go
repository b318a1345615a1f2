package main

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// knownCauses says why tests differ: "PACKAGE TEST | cause" for the tests of a package whose names
// begin with TEST; "real PACKAGE TEST | cause" for what differs under racepred test only.
//
//go:embed causes.txt
var knownCauses string

type cause struct {
	real      bool
	pkg, test string
	why       string
}

func parseCauses(list string) ([]cause, error) {
	var causes []cause
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		key, why, ok := strings.Cut(line, " | ")
		c := cause{why: strings.TrimSpace(why)}
		if key, c.real = strings.CutPrefix(key, "real "); !ok {
			return nil, fmt.Errorf("causes.txt: no \" | \" in %q", line)
		}
		c.pkg, c.test, _ = strings.Cut(strings.TrimSpace(key), " ")
		causes = append(causes, c)
	}
	return causes, nil
}

func causeOf(causes []cause, test string, real bool) string {
	pkg, name, _ := strings.Cut(test, " ")
	for _, c := range causes {
		if c.pkg == pkg && name != "" && strings.HasPrefix(name, c.test) && (real || !c.real) {
			return c.why
		}
	}
	return ""
}

// page writes the results of all targets as Markdown and says how many
// differences have no known cause.
func (c *tableConfig) page(name string, targets []target) (unexplained int, err error) {
	causes, err := parseCauses(knownCauses)
	if err != nil {
		return 0, err
	}
	std, modules, missing := c.results(targets)
	all := slices.Concat(std, modules)
	version := "unknown"
	if len(all) > 0 {
		version = all[0].Go
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Transparency\n\nThe tests of packages as they are and rewritten (%s). "+
		"`go run ./internal/dev/transparency -table docs/results/transparency.md` made this page.\n\n", version)
	b.WriteString(pageHead)
	writeCounts(&b, "Standard library", std)
	writeCounts(&b, "Modules", modules)
	unexplained += writeDifferences(&b, "Different when rewritten", all, func(r *result) []difference { return r.Diffs },
		func(test string) string { return causeOf(causes, test, false) })
	unexplained += writeDifferences(&b, "Different under racepred test", all, func(r *result) []difference { return r.RealDiffs },
		func(test string) string { return causeOf(causes, test, true) })
	writeCompleteness(&b, all)
	writeUnsteady(&b, all)
	writeVet(&b, all)
	writeLeft(&b, all)
	writeUnrecorded(&b, all)
	if len(missing) > 0 {
		fmt.Fprintf(&b, "\nNot run: %s.\n", strings.Join(missing, ", "))
	}
	return unexplained, os.WriteFile(name, []byte(b.String()), 0o644)
}

// results are those of the targets: of the standard library and of modules, and the names of the
// units that have none.
func (c *tableConfig) results(targets []target) (std, modules []*result, missing []string) {
	for _, t := range targets {
		for _, u := range t.units() {
			switch r := c.result(u); {
			case r == nil:
				missing = append(missing, u.name)
			case r.Module:
				modules = append(modules, r)
			default:
				std = append(std, r)
			}
		}
	}
	return std, modules, missing
}

// writeCounts writes a line of numbers for each result, and their sum.
func writeCounts(b *strings.Builder, title string, rs []*result) {
	differ, realDiffer := 0, 0
	total := &result{Plain: map[string]int{}, Rewritten: map[string]int{}, Real: map[string]int{}}
	fmt.Fprintf(b, "## %s\n\n| package | files | sites | plain | rewritten | differ | vet | racepred test | differ |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n", title)
	for _, r := range rs {
		real, other := "", ""
		if r.Real != nil {
			real, other = counts(r.Real), fmt.Sprint(tests(r.RealDiffs))
		}
		name := "`" + r.Unit + "`"
		if r.Has != "" {
			name += " " + strings.ReplaceAll(r.Has, "|", `\|`)
		}
		fmt.Fprintf(b, "| %s | %d | %d | %s | %s | %d | %d | %s | %s |\n", name, r.Files, r.Sites, counts(r.Plain), counts(r.Rewritten), tests(r.Diffs), len(r.Vet), real, other)
		total.add(r)
		differ, realDiffer = differ+tests(r.Diffs), realDiffer+tests(r.RealDiffs)
	}
	fmt.Fprintf(b, "| **%d** | %d | %d | %s | %s | %d | %d | %s | %d |\n\n", len(rs), total.Files, total.Sites,
		counts(total.Plain), counts(total.Rewritten), differ, len(total.Vet), counts(total.Real), realDiffer)
}

// writeDifferences lists the tests that differ, with their causes ("" for one that is not known),
// and returns how many have none.
func writeDifferences(b *strings.Builder, title string, rs []*result, of func(*result) []difference, causeOf func(test string) string) (unexplained int) {
	fmt.Fprintf(b, "## %s\n\n", title)
	var lines []string
	for _, r := range rs {
		var groups []group
		for _, d := range of(r) {
			if strings.HasSuffix(d.Test, " ") && !strings.HasPrefix(d.Test, "build ") && tests(of(r)) > 0 {
				continue // follows from its tests
			}
			why := causeOf(d.Test)
			if why == "" {
				why = "**unknown**"
				unexplained++
			}
			groups = grouped(groups, d, why)
		}
		for _, g := range groups {
			lines = append(lines, g.lines()...)
		}
	}
	if len(lines) == 0 {
		b.WriteString("None.\n\n")
		return unexplained
	}
	b.WriteString("| test | plain | then | cause |\n| --- | --- | --- | --- |\n" + strings.Join(lines, "") + "\n")
	return unexplained
}

func writeUnsteady(b *strings.Builder, rs []*result) {
	b.WriteString("## Unsteady\n\nTests that differed once and not again, or not always; each time they were run twice more.\n\n")
	for _, r := range rs {
		for _, test := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Unsteady, r.RealUnsteady)))) {
			if !strings.HasSuffix(test, " ") {
				fmt.Fprintf(b, "- `%s`\n", test)
			}
		}
	}
}

func writeVet(b *strings.Builder, rs []*result) {
	b.WriteString("\n## What go vet says of rewritten files only\n\n")
	if !slices.ContainsFunc(rs, func(r *result) bool { return len(r.Vet) > 0 }) {
		b.WriteString("Nothing.\n")
	}
	for _, r := range rs {
		for _, line := range r.Vet {
			fmt.Fprintf(b, "- `%s`: %s\n", r.Unit, line)
		}
	}
}

func writeLeft(b *strings.Builder, rs []*result) {
	b.WriteString("\n## Left as they are\n\n")
	if !slices.ContainsFunc(rs, func(r *result) bool { return len(r.Left) > 0 }) {
		b.WriteString("None.\n")
	}
	for _, r := range rs {
		for _, line := range r.Left {
			line, _, _ = strings.Cut(line, "\n")
			fmt.Fprintf(b, "- `%s`\n", line)
		}
	}
}

func writeUnrecorded(b *strings.Builder, rs []*result) {
	accesses := map[string]int{} // by reason
	for _, r := range rs {
		for why, n := range r.Unseen {
			accesses[why] += n
		}
	}
	b.WriteString("\n## Unrecorded accesses\n\n")
	if len(accesses) == 0 {
		b.WriteString("None.\n")
		return
	}
	b.WriteString("| reason | accesses |\n| --- | ---: |\n")
	for _, why := range slices.Sorted(maps.Keys(accesses)) {
		fmt.Fprintf(b, "| %s | %d |\n", why, accesses[why])
	}
}

// group is what differs in the same way, with the same cause.
type group struct {
	was, is, why string
	tests        []string
}

// grouped adds a difference to its group.
func grouped(groups []group, d difference, why string) []group {
	name := strings.TrimSpace(d.Test)
	for i := range groups {
		if g := &groups[i]; g.was == d.Was && g.is == d.Is && g.why == why {
			g.tests = append(g.tests, name)
			return groups
		}
	}
	return append(groups, group{d.Was, d.Is, why, []string{name}})
}

// groupLines is how many tests of a group have a line each.
const groupLines = 3

func (g *group) lines() (lines []string) {
	for i, name := range g.tests {
		more := ""
		if i == groupLines-1 && len(g.tests) > groupLines {
			more = fmt.Sprintf(" and %d more", len(g.tests)-groupLines)
		}
		lines = append(lines, fmt.Sprintf("| `%s`%s | %s | %s | %s |\n", name, more, g.was, g.is, g.why))
		if more != "" {
			break
		}
	}
	return lines
}

// tests counts the differences of tests, or of a package if no test of it differs.
func tests(diffs []difference) int {
	n := 0
	for _, d := range diffs {
		if !strings.HasSuffix(d.Test, " ") {
			n++
		}
	}
	if n == 0 {
		n = len(diffs)
	}
	return n
}

func (r *result) add(o *result) {
	r.Files += o.Files
	r.Sites += o.Sites
	for _, m := range []struct{ to, from map[string]int }{{r.Plain, o.Plain}, {r.Rewritten, o.Rewritten}, {r.Real, o.Real}} {
		for k, n := range m.from {
			m.to[k] += n
		}
	}
	r.Vet = append(r.Vet, o.Vet...)
}

const pageHead = `Each package's own tests are run (-short) as they are, then rewritten with recording calls that check addresses and do nothing
else, then under ` + "`racepred test`" + `, where a race that is found fails its test and some packages are recorded by the compiler.
Tests count as passed/failed/skipped. A test differs if it does so three times in a row. The packages of one line of
the list (internal/dev/transparency/targets.txt) are rewritten together. Results are kept and a run can be taken up
again, so lines may come from different versions of the rewriter; -again measures anew. ` + "`go vet`" + ` goes over the rewritten files, tests included.

`
