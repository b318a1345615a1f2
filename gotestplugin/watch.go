package gotestplugin

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// watcher hands go test's output on, byte for byte, and notes which packages
// it says failed:
//
//	FAIL<tab>PACKAGE<tab>SECONDS            a test process failed
//	FAIL<tab>PACKAGE [build failed]         it was never started
//	{"Action":"fail","Package":"PACKAGE"}   either of them, with -json
//	signal: WHICH, exit status N            how the process of the package ended whose line comes next
//
// Output of tests may look the same; the caller decides which packages exist.
type watcher struct {
	to     io.Writer
	json   bool
	line   []byte
	failed map[string]bool // packages
	built  bool            // false: something did not build

	ends map[string]string // by package
	last string            // line that says how a process ended
}

// maxLine is how much of a line is kept; go test's own lines are short.
const maxLine = 1 << 20

func newWatcher(to io.Writer, json bool) *watcher {
	return &watcher{to: to, json: json, failed: map[string]bool{}, ends: map[string]string{}, built: true}
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if room := maxLine - len(w.line); room > 0 {
			w.line = append(w.line, line[:min(room, len(line))]...)
		}
		if ended {
			w.end()
		}
		rest = after
	}
	return n, err
}

// end reads the line that is complete now.
func (w *watcher) end() {
	defer func() { w.line = w.line[:0] }()
	if w.json {
		w.event()
		return
	}
	i := bytes.LastIndex(w.line, []byte("FAIL\t")) // a test may have left its last line open
	if i < 0 {
		w.ending(string(w.line))
		return
	}
	what := string(w.line[i+len("FAIL\t"):])
	if pkg, ok := cutAny(what, " [build failed]", " [setup failed]"); ok {
		w.failed[pkg], w.built = true, false
		return
	}
	if pkg, _, ok := strings.Cut(what, "\t"); ok {
		w.failed[pkg], w.ends[pkg], w.last = true, w.last, ""
	}
}

// ending notes a line that says how a process ended, if it is one.
func (w *watcher) ending(line string) {
	for _, how := range []string{"signal: ", "exit status "} {
		if i := strings.LastIndex(line, how); i >= 0 { // a test may have left its last line open
			w.last = line[i:]
		}
	}
}

func cutAny(s string, suffixes ...string) (string, bool) {
	for _, suffix := range suffixes {
		if before, ok := strings.CutSuffix(s, suffix); ok {
			return before, true
		}
	}
	return s, false
}

func (w *watcher) event() {
	if !bytes.HasPrefix(w.line, []byte("{")) {
		return
	}
	told := bytes.Contains(w.line, []byte(`"Output":"signal: `)) || bytes.Contains(w.line, []byte(`"Output":"exit status `))
	if !told && !bytes.Contains(w.line, []byte(`fail"`)) {
		return
	}
	var e struct{ Action, Package, Test, FailedBuild, Output string }
	if json.Unmarshal(w.line, &e) != nil {
		return
	}
	switch {
	case told:
		w.ends[e.Package] = strings.TrimSpace(e.Output)
	case e.Action == "build-fail":
		w.built = false
	case e.Action == "fail" && e.Test == "":
		w.failed[e.Package] = true
		w.built = w.built && e.FailedBuild == ""
	}
}
