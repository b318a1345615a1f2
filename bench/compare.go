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

// results are what go test -json says of one run.
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

// differences says, sorted, which tests came out differently.
func differences(plain, other results) []string {
	all := maps.Clone(plain.tests)
	maps.Copy(all, other.tests)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if a, b := plain.tests[name], other.tests[name]; a != b {
			lines = append(lines, fmt.Sprintf("%s: %s, was %s", name, orMissing(b), orMissing(a)))
		}
	}
	return lines
}

func orMissing(result string) string {
	if result == "" {
		return "missing"
	}
	return result
}

// union adds the lines that are new.
func union(lines, more []string) []string {
	for _, l := range more {
		if !slices.Contains(lines, l) {
			lines = append(lines, l)
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
