package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// outcome is how one test ended, and what it printed.
type outcome struct {
	action string // pass, fail, skip; build-fail; "" if it never ended
	output strings.Builder
}

// outcomes has one outcome for "package test", and with an empty test for the package.
type outcomes map[string]*outcome

// addresses in the names of tests differ from run to run.
var addresses = regexp.MustCompile("0x[0-9a-f]+")

// runTests runs a command that prints what go test -json prints.
func runTests(dir, name string, args []string, stderr io.Writer) outcomes {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stderr = stderr
	out, _ := cmd.Output() // failing tests are an outcome
	res := outcomes{}
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		var ev struct{ Action, Package, Test, Output, ImportPath string }
		if json.Unmarshal(sc.Bytes(), &ev) != nil {
			continue
		}
		if ev.ImportPath != "" && ev.Package == "" {
			ev.Package = "build " + ev.ImportPath
		}
		key := ev.Package + " " + addresses.ReplaceAllString(ev.Test, "0x")
		o := res[key]
		if o == nil {
			o = &outcome{}
			res[key] = o
		}
		switch ev.Action {
		case "pass", "fail", "skip", "build-fail":
			o.action = ev.Action
		case "output", "build-output":
			o.output.WriteString(ev.Output)
		}
	}
	return res
}

func (os outcomes) action(key string) string {
	if o := os[key]; o != nil && o.action != "" {
		return o.action
	}
	return "none"
}

// count is how many tests ended in each way; packages are not counted.
func (os outcomes) count() map[string]int {
	n := map[string]int{}
	for key := range os {
		if !strings.HasSuffix(key, " ") {
			n[os.action(key)]++
		}
	}
	return n
}

// difference is a test that ended in another way.
type difference struct {
	Test    string // "package test"
	Was, Is string
	Output  string // of the second run, its beginning
}

const maxOutput = 3000

// differences lists the tests of which b differs from a.
func differences(a, b outcomes) []difference {
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	var diffs []difference
	for k := range keys {
		was, is := a.action(k), b.action(k)
		if was == is {
			continue
		}
		d := difference{Test: k, Was: was, Is: is}
		if o := b[k]; o != nil {
			d.Output = o.output.String()
			d.Output = d.Output[:min(len(d.Output), maxOutput)]
		}
		diffs = append(diffs, d)
	}
	slices.SortFunc(diffs, func(a, b difference) int { return strings.Compare(a.Test, b.Test) })
	return diffs
}

// topLevel is a -run pattern for the tests that differ; "" if a package differs as a whole.
func topLevel(diffs []difference) string {
	var names []string
	whole := false
	for _, d := range diffs {
		test := d.Test[strings.LastIndexByte(d.Test, ' ')+1:] // names of tests have no spaces, those of test variants do
		name, _, _ := strings.Cut(test, "/")
		if name == "" {
			whole = true
		} else if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if whole && len(names) == 0 {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
