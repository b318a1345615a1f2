package main

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// text is the page.
func text(rows []row) string {
	var b strings.Builder
	b.WriteString("# Locks taken out\n\n" +
		"Functions of fetched modules without one of their locks, and the module's own tests, run once with `-race` and once with racepred. Where neither finds a race there may be none; *later* are races that -race found in a further run, and neither of the two in the first; *possible* are those that racepred has no schedule for, where it found no other.\n\n" +
		"| package | functions | -race | racepred | of these observed | predicted | -race alone | racepred alone | broken | -race later | possible |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	var sum counts
	var missed, possible []string
	for _, r := range rows {
		var c counts
		for _, t := range r.Tried {
			c.add(t)
			of := fmt.Sprintf("%s: `%s` without `%s`", r.Package, t.Func, t.Lock)
			if t.Possible != "" {
				possible = append(possible, of+": "+t.Possible)
			}
			switch {
			case t.Race && t.Racepred == "":
				missed = append(missed, of)
			case t.Later:
				missed = append(missed, of+" (later)")
			}
		}
		b.WriteString(c.line(r.Package))
		sum = sum.plus(c)
	}
	b.WriteString(sum.line("all"))
	if len(missed) > 0 {
		b.WriteString("\nFound by `-race` alone:\n\n- " + strings.Join(missed, "\n- ") + "\n")
	}
	if len(possible) > 0 {
		b.WriteString("\nPossible only:\n\n- " + strings.Join(possible, "\n- ") + "\n")
	}
	return b.String()
}

// counts are functions, those with a race by -race, by racepred, observed, predicted, by -race
// alone, by racepred alone, those that racepred made no report of, those that only a later run of
// -race found, and those that are only possible.
type counts [10]int

func (c *counts) add(t result) {
	for i, is := range []bool{
		true, t.Race, t.Racepred != "", t.Racepred == report.Observed, t.Racepred == report.Predicted,
		t.Race && t.Racepred == "", !t.Race && t.Racepred != "", t.Broken != "", t.Later, t.Possible != "",
	} {
		if is {
			c[i]++
		}
	}
}

func (c counts) plus(d counts) counts {
	for i := range c {
		c[i] += d[i]
	}
	return c
}

func (c counts) line(of string) string {
	return fmt.Sprintf("| %s | %s |\n", of, strings.Trim(strings.ReplaceAll(fmt.Sprint([len(c)]int(c)), " ", " | "), "[]"))
}
