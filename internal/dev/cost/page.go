package main

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/dev/command"
)

// page is docs/results/cost.md.
type page struct {
	what string // the module, the packages and their size
	rows strings.Builder
}

// row adds a comparison; a goal of 0 is none.
func (p *page) row(when string, own cost, of string, theirs cost, goal float64) {
	want := ""
	if goal > 0 {
		want = fmt.Sprint(goal)
	}
	fmt.Fprintf(&p.rows, "| %s | %.2f s | %s | %.2f s | %.3f | %s |\n", when, own.cpu.Seconds(), of, theirs.cpu.Seconds(), own.cpu.Seconds()/theirs.cpu.Seconds(), want)
}

// write writes the page to the file of -md, if there is one.
func (p *page) write(c *config) error {
	if c.md == "" {
		return nil
	}
	text := "CPU time, user and system, of rewriting and of the go command on the same packages: " + p.what + ".\n\n" +
		"| caches | rewriting | the go command | takes | ratio | goal |\n| --- | ---: | --- | ---: | ---: | ---: |\n" + p.rows.String()
	return command.WritePage(c.md, text, "go run ./internal/dev/cost", c.args...)
}
