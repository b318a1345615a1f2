package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// results are the results of one run, as go test -json prints them.
type results struct {
	tests   map[string]string // package and test, to pass, fail or skip; a package's own result too
	elapsed time.Duration     // sum over the packages
}

func readResults(output string) results {
	r := results{tests: make(map[string]string)}
	s := bufio.NewScanner(strings.NewReader(output))
	s.Buffer(nil, len(output)+1)
	for s.Scan() {
		var e struct {
			Action, Package, Test string
			Elapsed               float64 // seconds
		}
		if json.Unmarshal(s.Bytes(), &e) != nil {
			continue
		}
		switch e.Action {
		case "pass", "fail", "skip":
			r.tests[strings.TrimSpace(e.Package+" "+e.Test)] = e.Action
			if e.Test == "" {
				r.elapsed += time.Duration(e.Elapsed * float64(time.Second))
			}
		}
	}
	return r
}

// count counts the tests, subtests included.
func (r results) count() int {
	n := 0
	for name := range r.tests {
		if strings.Contains(name, " ") {
			n++
		}
	}
	return n
}

// outcomes gathers the outcomes of each test in several runs of one command.
type outcomes map[string][]string

// add takes in a run.
func (o outcomes) add(r results) {
	for name, result := range r.tests {
		if !slices.Contains(o[name], result) {
			o[name] = append(o[name], result)
		}
	}
}

// differences lists, sorted, the tests with an outcome that they never had under the
// plain command.
func differences(plain, other outcomes) []string {
	all := maps.Clone(plain)
	maps.Copy(all, other)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, is := plain[name], other[name]
		switch {
		case len(is) == 0:
			lines = append(lines, fmt.Sprintf("%s: missing, was %s", name, strings.Join(was, " or ")))
		case len(was) == 0:
			lines = append(lines, fmt.Sprintf("%s: %s, was missing", name, strings.Join(is, " or ")))
		default:
			for _, result := range is {
				if !slices.Contains(was, result) {
					lines = append(lines, fmt.Sprintf("%s: %s, was %s", name, result, strings.Join(was, " or ")))
				}
			}
		}
	}
	return lines
}

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Sorted(slices.Values(d))
	mid := len(d) / 2
	if len(d)%2 == 1 {
		return d[mid]
	}
	return (d[mid-1] + d[mid]) / 2
}
