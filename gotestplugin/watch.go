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
//
// Output of tests may look the same; the caller decides which packages exist.
type watcher struct {
	to     io.Writer
	json   bool
	line   []byte
	failed map[string]bool // packages
	built  bool            // false: something did not build
}

// maxLine is how much of a line is kept; go test's own lines are short.
const maxLine = 1 << 20

func newWatcher(to io.Writer, json bool) *watcher {
	return &watcher{to: to, json: json, failed: map[string]bool{}, built: true}
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
		return
	}
	what := string(w.line[i+len("FAIL\t"):])
	if pkg, ok := cutAny(what, " [build failed]", " [setup failed]"); ok {
		w.failed[pkg], w.built = true, false
		return
	}
	if pkg, _, ok := strings.Cut(what, "\t"); ok {
		w.failed[pkg] = true
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
	if !bytes.HasPrefix(w.line, []byte("{")) || !bytes.Contains(w.line, []byte(`fail"`)) {
		return
	}
	var e struct{ Action, Package, Test, FailedBuild string }
	if json.Unmarshal(w.line, &e) != nil {
		return
	}
	switch {
	case e.Action == "build-fail":
		w.built = false
	case e.Action == "fail" && e.Test == "":
		w.failed[e.Package] = true
		w.built = w.built && e.FailedBuild == ""
	}
}
