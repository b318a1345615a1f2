package main

import (
	"fmt"
	"strings"
	"time"
)

// table renders the measurements as Markdown.
func table(measured []*Measured, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Whole commands from a warm build cache (in brackets: the sum of the packages' own times), median of %d.\n\n", n)
	b.WriteString("| module | tests | `go test` | `go test -race` | `racepred test` | results | `-race` reports | racepred findings |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | --- | ---: | --- |\n")
	for _, m := range measured {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %d | %s |\n",
			m.Module, m.Tests, m.Plain, m.Race, m.Racepred, m.agreement(), m.RaceReports, m.verdicts())
	}
	for _, m := range measured {
		m.details(&b)
	}
	return b.String()
}

func (t Times) String() string {
	if len(t.Wall) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%s)", seconds(median(t.Wall)), seconds(median(t.Tests)))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func (m *Measured) agreement() string {
	if len(m.Differences) == 0 {
		return "same"
	}
	return fmt.Sprintf("%d differ", len(m.Differences))
}

func (m *Measured) verdicts() string {
	if len(m.Findings) == 0 {
		return "none"
	}
	var order []string
	counts := make(map[string]int)
	for _, f := range m.Findings {
		v := string(f.Verdict)
		if counts[v] == 0 {
			order = append(order, v)
		}
		counts[v]++
	}
	var parts []string
	for _, v := range order {
		parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
	}
	return strings.Join(parts, ", ")
}

// details explains the numbers of a row.
func (m *Measured) details(b *strings.Builder) {
	if len(m.Differences)+len(m.Findings) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", m.Module)
	for _, d := range m.Differences {
		fmt.Fprintf(b, "- %s\n", d)
	}
	for _, f := range m.Findings {
		var at []string
		for _, a := range f.Accesses {
			at = append(at, fmt.Sprintf("%s %s:%d", a.Op, a.File, a.Line))
		}
		fmt.Fprintf(b, "- %s (%s) %s: %s\n", f.Verdict, strings.Join(f.By, ", "), f.Test, strings.Join(at, " / "))
	}
}
