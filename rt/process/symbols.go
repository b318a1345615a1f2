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
	s := symbols{goroot, map[uintptr][]frame{}}
	return symbolize.New(s.stackFrames, s.siteFile)
}

// symbols has the names of files from the binary.
type symbols struct {
	goroot protocol.Copied
	known  map[uintptr][]frame // by return address; the same few thousand are in all stacks
}

// frame is a frame of a stack.
type frame struct {
	report.Frame
	hidden   bool // it is not shown
	internal bool // it is not shown on top of others
}

// maxAddresses is how many addresses are remembered, some 200 bytes each.
const maxAddresses = 1 << 12

func (s symbols) siteFile(i int) (f symbolize.SiteFile, ok bool) {
	file, pkg, base, n, table, ok := runtime_sites(i)
	return symbolize.SiteFile{File: s.goroot.Name(file), Pkg: pkg, Base: trace.Site(base), N: n, Table: table}, ok
}

// stackFrames yields the frames of a stack, functions by their symbol names, without those of the
// recorder and of the runtime on top of them, innermost first.
func (s symbols) stackFrames(id trace.Stack, yield func(report.Frame) bool) {
	var pcs [64]uintptr
	n := runtime_stack(uint32(id), pcs[:])
	if n == 0 {
		return
	}
	first := true
	for _, pc := range pcs[:n] {
		for _, f := range s.at(pc) {
			if f.hidden || first && f.internal {
				continue
			}
			first = false
			if !yield(f.Frame) {
				return
			}
		}
	}
}

// at has the frames at a return address: those of functions that were inlined, and that of the one
// that was called.
func (s symbols) at(pc uintptr) (list []frame) {
	if list, ok := s.known[pc]; ok {
		return list
	}
	frames := runtime.CallersFrames([]uintptr{pc, 0}) // the last address is not taken apart
	for more := true; more; {
		var at runtime.Frame
		at, more = frames.Next()
		list = append(list, s.frame(at.Function, at.File, at.Line))
	}
	if fn, file, line := runtime_wrapper(pc); fn != "" {
		list = append(list, s.frame(fn, file, line))
	}
	if len(s.known) >= maxAddresses {
		clear(s.known)
	}
	s.known[pc] = list
	return list
}

func (s symbols) frame(fn, file string, line int) frame {
	return frame{
		Frame:    report.Frame{Func: written(fn), File: s.goroot.Name(file), Line: line},
		hidden:   fn == "" || fn == "runtime.goexit" || wrapper(fn),
		internal: internalFrame(fn),
	}
}

func internalFrame(fn string) bool {
	return strings.HasPrefix(fn, "runtime.") || strings.HasPrefix(fn, "internal/race.") ||
		strings.HasPrefix(fn, "internal/runtime/") || strings.HasPrefix(fn, "sync/atomic.hook")
}

// wrapper reports whether a function replaces a wrapper of the compiler (instrument/R5).
func wrapper(fn string) bool { return strings.Contains(fn, "._racepredSites_") }

// seen takes out of the name of a twin what makes it one (instrument/D1 and D3).
var seen = strings.NewReplacer("RacepredSeen", "", "Racepred", "")

// written is the name of the function that the user's code calls, if rewritten code calls a twin of
// it.
func written(fn string) string {
	if strings.HasPrefix(fn, "sync/atomic.") {
		return seen.Replace(fn)
	}
	return fn
}
