//go:build racepred_seam

package process

import (
	"runtime"
	"strings"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// newSymbols reads what the recorder knows: site tables come from the
// rewritten files' inits and are read when first needed.
func newSymbols(goroot protocol.Copied) *symbolize.Symbols {
	s := symbols{goroot}
	return symbolize.New(s.stackFrames, s.siteFile)
}

// symbols has the names of files from the binary.
type symbols struct{ goroot protocol.Copied }

func (s symbols) siteFile(i int) (f symbolize.SiteFile, ok bool) {
	file, pkg, base, n, table, ok := runtime_sites(i)
	return symbolize.SiteFile{File: s.goroot.Name(file), Pkg: pkg, Base: trace.Site(base), N: n, Table: table}, ok
}

// stackFrames yields the frames of a stack, functions by their symbol names, without those of the recorder
// and of the runtime on top of them, innermost first.
func (s symbols) stackFrames(id trace.Stack, yield func(report.Frame) bool) {
	var pcs [64]uintptr
	n := runtime_stack(uint32(id), pcs[:])
	if n == 0 {
		return
	}
	frames, first := runtime.CallersFrames(pcs[:n]), true
	for {
		f, more := frames.Next()
		if f.Function != "" && !(first && internalFrame(f.Function)) && f.Function != "runtime.goexit" && !wrapper(f.Function) {
			first = false
			if !yield(report.Frame{Func: written(f.Function), File: s.goroot.Name(f.File), Line: f.Line}) {
				return
			}
		}
		if !more {
			return
		}
	}
}

func internalFrame(fn string) bool {
	return strings.HasPrefix(fn, "runtime.") || strings.HasPrefix(fn, "internal/race.") ||
		strings.HasPrefix(fn, "internal/runtime/") || strings.HasPrefix(fn, "sync/atomic.hook")
}

// wrapper reports whether a function replaces a wrapper of the compiler (instrument/R5).
func wrapper(fn string) bool { return strings.Contains(fn, "._racepredSites_") }

// written is the name of the function that the user's code calls, if rewritten code calls a twin of it.
func written(fn string) string {
	if strings.HasPrefix(fn, "sync/atomic.") {
		return strings.Replace(fn, "Racepred", "", 1)
	}
	return fn
}
