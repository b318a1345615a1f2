package examples

import (
	"bufio"
	"encoding/json"
	"strings"
)

// ReadResults reads the results of top-level tests from the output of go test
// -json, by directory and name. prefix is the module's path, which the packages
// begin with. Lines that are not JSON (a build that failed) are returned.
func ReadResults(output, prefix string) (results map[string]map[string]Result, other []string) {
	results = make(map[string]map[string]Result)
	s := bufio.NewScanner(strings.NewReader(output))
	s.Buffer(nil, len(output)+1)
	for s.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			other = append(other, s.Text())
			continue
		}
		if e.Action == "build-output" {
			other = append(other, strings.TrimRight(e.Output, "\n"))
			continue
		}
		if e.Test == "" || strings.Contains(e.Test, "/") {
			continue
		}
		switch e.Action {
		case "pass", "fail", "skip":
			dir := strings.TrimPrefix(strings.TrimPrefix(e.Package, prefix), "/")
			if results[dir] == nil {
				results[dir] = make(map[string]Result)
			}
			results[dir][e.Test] = Result(e.Action)
		}
	}
	return results, other
}
