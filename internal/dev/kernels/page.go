package main

import (
	"fmt"
	"strings"
)

// text is the page.
func text(rows []row) string {
	var b strings.Builder
	b.WriteString("# Kernels of known races\n\n" +
		"Small programs with a known bug each, cut down from real projects, as tests. How many runs of each report a data race: `go test -race` and `racepred test`, default flags, in turn; " +
		"*predicted* are runs of racepred that observed none and predicted one. Some of the bugs are no data race, as a send on a closed channel.\n\n" +
		"| program | runs of each | -race | racepred | predicted |\n| --- | ---: | ---: | ---: | ---: |\n")
	var sum row
	var race, racepred int
	var alone, missed, broken []string
	for _, r := range rows {
		b.WriteString(line(r.Package, r))
		sum.Runs += r.Runs
		sum.Race += r.Race
		sum.Racepred += r.Racepred
		sum.Predicted += r.Predicted
		if r.Race > 0 {
			race++
		}
		if r.Racepred > 0 {
			racepred++
		}
		switch {
		case r.Broken != "":
			broken = append(broken, r.Package+": "+r.Broken)
		case r.Race > 0 && r.Racepred == 0:
			missed = append(missed, r.Package)
		case r.Race == 0 && r.Racepred > 0:
			alone = append(alone, r.Package)
		}
	}
	b.WriteString(line("all", sum))
	fmt.Fprintf(&b, "\nPrograms with a race in at least one run: `-race` %d, racepred %d, of %d.\n", race, racepred, len(rows))
	for _, l := range []struct {
		title string
		of    []string
	}{{"Found by racepred alone", alone}, {"Found by `-race` alone", missed}, {"Not tried to the end", broken}} {
		if len(l.of) > 0 {
			fmt.Fprintf(&b, "\n%s:\n\n- %s\n", l.title, strings.Join(l.of, "\n- "))
		}
	}
	return b.String()
}

func line(of string, r row) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d |\n", of, r.Runs, r.Race, r.Racepred, r.Predicted)
}
