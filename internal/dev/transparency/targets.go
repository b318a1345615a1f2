package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed targets.txt
var targetList string

// target is what is rewritten together: packages of the standard library, or one module.
type target struct {
	module   string // path@version; "" is the standard library
	patterns []string
	skip     string // tests of a module that are not run; "" is none
	has      string // what a module has that others have not
}

// parseTargets reads the list; its form is told at the head of targets.txt.
func parseTargets(list string) ([]target, error) {
	var targets []target
	n := 0
	for line := range strings.Lines(list) {
		n++
		line, has, _ := strings.Cut(line, " -- ")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
		case fields[0] == "std" && len(fields) > 1:
			targets = append(targets, target{patterns: fields[1:]})
		case fields[0] == "module" && len(fields) > 2 && strings.Contains(fields[1], "@"):
			t := target{module: fields[1], has: strings.TrimSpace(has)}
			for _, f := range fields[2:] {
				if skip, ok := strings.CutPrefix(f, "-skip="); ok {
					t.skip = skip
				} else {
					t.patterns = append(t.patterns, f)
				}
			}
			if t.skip != "" {
				t.has += "; without " + t.skip
			}
			targets = append(targets, t)
		default:
			return nil, fmt.Errorf("targets.txt:%d: want \"std PACKAGE...\" or \"module PATH@VERSION PATTERN...\"", n)
		}
	}
	return targets, nil
}

// units are what is tested at a time and has a line of the page: each package
// of the standard library, each module as a whole.
func (t target) units() []unit {
	if t.module != "" {
		return []unit{{name: t.module, patterns: t.patterns, skip: t.skip}}
	}
	var us []unit
	for _, p := range t.patterns {
		us = append(us, unit{name: p, patterns: []string{p}})
	}
	return us
}

type unit struct {
	name     string
	patterns []string
	skip     string
}

// file is a name for the unit's result.
func (u unit) file() string { return strings.NewReplacer("/", "+", ":", "+").Replace(u.name) + ".json" }
