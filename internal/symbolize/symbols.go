// Package symbolize turns the numbers in a trace into source positions: a stack's or a site's
// number, and the tables that came with the trace -> frames and sites. The tested process and
// `racepred analyze` have different tables and share the rest.
package symbolize

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/trace"
)

// Symbols turns stack and site numbers into names. Functions of frames have their symbol names.
type Symbols struct {
	frames func(trace.Stack, func(symbol.Frame) bool)
	files  func(i int) (SiteFile, bool)

	// Elsewhere is the position of a site that no table has; nil knows none.
	Elsewhere func(trace.Site) Site

	stacks  map[trace.Stack][]symbol.Frame
	tables  []siteTable
	pkgs    map[string]bool
	trimmed map[string]string         // names of files as -trimpath makes them -> names in tables
	lines   map[string]map[int][]Site // file -> line -> sites; of files that were asked for
}

// SiteFile is the site table of one rewritten file: line i of Table is site Base+i, as package rt
// describes it.
type SiteFile struct {
	File, Pkg string
	Base      trace.Site
	N         int
	Table     string
}

// Site is a source position the rewriter knows.
type Site struct {
	File, Pkg      string
	Line, Column   int
	Op, Expr, Func string
}

type siteTable struct {
	SiteFile
	sites []Site // parsed when first needed
}

// New returns symbols that take a stack's frames, innermost first, from frames, which may be asked
// more than once for a stack and yields no more when it is told so, and the i-th site table from
// files, which may know more tables when it is asked again.
func New(frames func(id trace.Stack, yield func(symbol.Frame) bool), files func(i int) (SiteFile, bool)) *Symbols {
	return &Symbols{
		frames: frames, files: files,
		stacks: make(map[trace.Stack][]symbol.Frame),
		pkgs:   make(map[string]bool), trimmed: make(map[string]string), lines: make(map[string]map[int][]Site),
	}
}

// Refresh reads the site tables that came since the last call.
func (s *Symbols) Refresh() {
	for {
		f, ok := s.files(len(s.tables))
		if !ok {
			return
		}
		s.tables = append(s.tables, siteTable{SiteFile: f})
		if !library.OfPackage(f.Pkg).Generic { // there, an access is the caller's
			s.pkgs[f.Pkg] = true
		}
		s.trimmed[f.Pkg+"/"+f.File[strings.LastIndexAny(f.File, `/\`)+1:]] = f.File
		delete(s.lines, f.File)
	}
}

// Known is how many site tables were read. What Rewritten said may be out of date when there are
// more.
func (s *Symbols) Known() int { return len(s.tables) }

// Site looks a site number up.
func (s *Symbols) Site(id trace.Site) (Site, bool) {
	if id == 0 {
		return Site{}, false
	}
	s.Refresh()
	for i := range s.tables {
		f := &s.tables[i]
		if id >= f.Base && id-f.Base < trace.Site(f.N) {
			f.parse()
			if k := int(id - f.Base); k < len(f.sites) {
				return f.sites[k], true
			}
		}
	}
	if s.Elsewhere != nil {
		return s.Elsewhere(id), true
	}
	return Site{}, false
}

func (f *siteTable) parse() {
	if f.sites != nil {
		return
	}
	f.sites = make([]Site, 0, f.N)
	for line := range strings.Lines(f.Table) {
		t := Site{File: f.File, Pkg: f.Pkg}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) == 4 {
			l, c, _ := strings.Cut(fields[0], ":")
			t.Line, _ = strconv.Atoi(l)
			t.Column, _ = strconv.Atoi(c)
			t.Op, t.Expr, t.Func = fields[1], fields[2], fields[3]
		}
		f.sites = append(f.sites, t)
	}
}

// At returns the expression of the site at file:line whose op is one of ops, and its column.
// Two different expressions on the line leave it open which one it was.
func (s *Symbols) At(file string, line int, ops ...string) (expr string, column int) {
	for _, t := range s.On(file, line) {
		for _, op := range ops {
			if t.Op != op {
				continue
			}
			if expr != "" && expr != t.Expr {
				return "", 0
			}
			expr, column = t.Expr, t.Column
		}
	}
	return expr, column
}

// On are the sites of a line.
func (s *Symbols) On(file string, line int) []Site {
	s.Refresh()
	lines := s.lines[file]
	if lines == nil {
		lines = make(map[int][]Site)
		for i := range s.tables {
			f := &s.tables[i]
			if f.File != file {
				continue
			}
			f.parse()
			for _, t := range f.sites {
				lines[t.Line] = append(lines[t.Line], t)
			}
		}
		s.lines[file] = lines
	}
	return lines[line]
}

// Unlock is the line at which the function that takes a lock at file:line gives it back, if there
// is just one before it takes that lock again; 0 otherwise.
func (s *Symbols) Unlock(file string, line int, expr string) (at int) {
	in, until := "", 0
	for _, t := range s.On(file, line) {
		if isLockOp(t.Op) && t.Expr == expr {
			in = t.Func
		}
	}
	if in == "" {
		return 0
	}
	of := func(yield func(Site) bool) {
		for i := range s.tables {
			for _, t := range s.tables[i].sites {
				if t.File == file && t.Func == in && t.Expr == expr && t.Line >= line && !yield(t) {
					return
				}
			}
		}
	}
	for t := range of {
		if isLockOp(t.Op) && t.Line > line && (until == 0 || t.Line < until) {
			until = t.Line
		}
	}
	for t := range of {
		if t.Op != "unlock" || until > 0 && t.Line >= until || t.Line == at {
			continue
		}
		if at != 0 {
			return 0
		}
		at = t.Line
	}
	return at
}

func isLockOp(op string) bool { return op == "lock" || op == "rlock" }

// maxStacks is how many stacks are remembered with their frames, half a KB each.
const maxStacks = 1 << 9

// Stack returns the frames of a stack, innermost first; nil when it is not known.
func (s *Symbols) Stack(id trace.Stack) []symbol.Frame {
	f, ok := s.stacks[id]
	if !ok {
		if len(s.stacks) == maxStacks {
			clear(s.stacks)
		}
		f = slices.Collect(s.Walk(id))
		s.stacks[id] = f
	}
	return f
}

// Walk goes over the frames of a stack, innermost first. Package classify asks no more of most
// stacks than which function takes a lock: that is one of the innermost frames, and to name the
// others would take several times as long.
func (s *Symbols) Walk(id trace.Stack) func(yield func(symbol.Frame) bool) {
	if f, ok := s.stacks[id]; ok {
		return slices.Values(f)
	}
	return func(yield func(symbol.Frame) bool) {
		withoutTrials(func(yield func(symbol.Frame) bool) {
			s.frames(id, func(f symbol.Frame) bool {
				f.File = s.untrimmed(f.File)
				return yield(f)
			})
		})(yield)
	}
}

// withoutTrials leaves out the function literals that rewritten code has evaluate operands
// (instrument/P2), with the functions of the runtime that call them: their statement is in the
// frame of the function that has it.
func withoutTrials(frames iter.Seq[symbol.Frame]) iter.Seq[symbol.Frame] {
	return func(yield func(symbol.Frame) bool) {
		var last symbol.Frame // comes unless a trial follows
		waiting := false
		for f := range frames {
			if strings.HasPrefix(f.Func, "runtime.RacepredTry") {
				waiting = false
				continue
			}
			if waiting && !yield(last) {
				return
			}
			last, waiting = f, true
		}
		if waiting {
			yield(last)
		}
	}
}

// untrimmed is the name that tables have for a file of a build with -trimpath, where frames have
// the import path before the file's own name. A file is called the same whether an access in it is
// found by its site or by its stack, and however the tests were built.
func (s *Symbols) untrimmed(file string) string {
	if file == "" || file[0] == '/' || file[0] == '<' || strings.Contains(file, `:\`) {
		return file
	}
	name, ok := s.trimmed[file]
	if !ok {
		s.Refresh()
		name, ok = s.trimmed[file]
	}
	if !ok {
		return file
	}
	return name
}

// IsLock reports whether a function is a method of a lock itself, or Cond.Wait, which
// takes its caller's lock, or the runtime's, which both call.
func IsLock(fn string) bool {
	return strings.HasPrefix(fn, "runtime.") || library.IsLock(fn)
}

// LockCaller is the innermost frame of an acquisition's stack that called the lock. What the
// compiler wrote is none: the wrapper of a promoted method, of an interface's method that is called
// through a type parameter, or of a method value belongs to the package of the type, and passes the
// call on.
func (s *Symbols) LockCaller(id trace.Stack) (symbol.Frame, bool) {
	_, caller, ok := s.LockCall(id)
	return caller, ok
}

// LockCall is LockCaller with the function that it called; "" if it is the innermost frame.
func (s *Symbols) LockCall(id trace.Stack) (called string, caller symbol.Frame, ok bool) {
	for f := range s.Walk(id) {
		switch {
		case f.File == "<autogenerated>":
		case !IsLock(f.Func):
			return called, f, true
		default:
			called = f.Func
		}
	}
	return called, symbol.Frame{}, false
}

// UserFrame is the innermost frame of a rewritten package, or the innermost one.
func (s *Symbols) UserFrame(stack []symbol.Frame) symbol.Frame {
	s.Refresh()
	for _, f := range stack {
		if s.Rewritten(f) {
			return f
		}
	}
	return stack[0]
}

// Rewritten reports whether f is a function of a rewritten package, as far as Refresh has read of
// them.
func (s *Symbols) Rewritten(f symbol.Frame) bool {
	pkg, _ := symbol.Split(f.Func)
	if pkg != "main" {
		return s.pkgs[pkg]
	}
	for i := range s.tables {
		if s.tables[i].File == f.File {
			return true
		}
	}
	return false
}
