package gotestplugin

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
)

// watcher hands go test's output on, byte for byte (with -json line by line, so that events fit in
// between), and notes which packages it says failed:
//
//	FAIL<tab>PACKAGE<tab>SECONDS            a test process failed
//	FAIL<tab>PACKAGE [build failed]         it was never started
//	{"Action":"fail","Package":"PACKAGE"}   either of them, with -json
//	signal: WHICH, exit status N            how the process of the package ended whose line comes next
//
// Output of tests may look the same; the caller decides which packages exist.
type watcher struct {
	to      io.Writer
	json    bool
	line    []byte
	failed  map[string]bool // packages
	built   bool            // false: something did not build
	crashed bool            // with -json: the compiler crashed

	mu      sync.Mutex
	over    map[string]bool                    // packages whose last line was printed; mu
	unbuilt map[string]bool                    // packages of which something did not build
	before  func(at, action, pkg, test string) // with -json: called before such an event is handed on; may be nil

	ends map[string]string // by package
	last string            // line that says how a process ended
}

// maxLine is how much of a line is kept; go test's own lines are short.
const maxLine = 1 << 20

func newWatcher(to io.Writer, json bool) *watcher {
	return &watcher{to: to, json: json, failed: map[string]bool{}, ends: map[string]string{}, over: map[string]bool{}, unbuilt: map[string]bool{}, built: true}
}

func (w *watcher) Write(p []byte) (int, error) {
	if !w.json {
		n, err := w.to.Write(p)
		w.lines(p, nil)
		return n, err
	}
	var failed error
	w.lines(p, func(line []byte) {
		if _, err := w.to.Write(line); err != nil && failed == nil {
			failed = err
		}
	})
	return len(p), failed
}

// lines reads the lines of p. If out is not nil, it gets whole lines, and pieces of those that are
// longer than maxLine.
func (w *watcher) lines(p []byte, out func([]byte)) {
	for line := range bytes.Lines(p) {
		w.line = append(w.line, line...)
		ended := line[len(line)-1] == '\n'
		if ended {
			w.end()
		}
		if ended || len(w.line) > maxLine {
			if out != nil {
				out(w.line)
			}
			w.line = w.line[:0]
		}
	}
}

// flush hands on a last line that was not ended.
func (w *watcher) flush() {
	if w.json && len(w.line) > 0 {
		_, _ = w.to.Write(w.line)
		w.line = w.line[:0]
	}
}

// end reads a complete line.
func (w *watcher) end() {
	if w.json {
		w.event()
		return
	}
	line := bytes.TrimSuffix(w.line, []byte("\n"))
	i := bytes.LastIndex(line, []byte("FAIL\t")) // a test may have left its last line open
	if i < 0 {
		w.ending(string(line))
		if what, ok := bytes.CutPrefix(line, []byte("ok  \t")); ok {
			pkg, _, _ := strings.Cut(string(what), "\t")
			w.noteOver(pkg)
		}
		return
	}
	what := string(line[i+len("FAIL\t"):])
	if pkg, ok := cutAny(what, " [build failed]", " [setup failed]"); ok {
		w.noteOver(pkg)
		w.failed[pkg], w.unbuilt[pkg], w.built = true, true, false
		return
	}
	if pkg, _, ok := strings.Cut(what, "\t"); ok {
		w.noteOver(pkg)
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
	ends := bytes.Contains(w.line, []byte(`fail"`))
	for _, action := range []string{`pass"`, `skip"`, `"run"`} {
		ends = ends || w.before != nil && bytes.Contains(w.line, []byte(action))
	}
	w.crashed = w.crashed || bytes.Contains(w.line, []byte(`"Action":"build-output"`)) && bytes.Contains(w.line, []byte(compilerCrash))
	if !told && !ends {
		return
	}
	var e struct{ Time, Action, Package, Test, FailedBuild, Output string }
	if json.Unmarshal(w.line, &e) != nil {
		return
	}
	switch {
	case told:
		w.ends[e.Package] = strings.TrimSpace(e.Output)
	case e.Action == "build-fail":
		w.built = false
	case e.Action == "fail" && e.Test == "":
		w.noteOver(e.Package)
		w.failed[e.Package] = true
		if e.FailedBuild != "" {
			w.built, w.unbuilt[e.Package] = false, true
		}
	}
	if e.Test == "" && (e.Action == "pass" || e.Action == "skip") {
		w.noteOver(e.Package)
	}
	if w.before != nil && e.Package != "" && slices.Contains([]string{"run", "fail", "pass", "skip"}, e.Action) {
		w.before(e.Time, e.Action, e.Package, e.Test)
	}
}
