package naming

import (
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/trace"
)

// Symbols turns stack and site numbers into names. Functions of frames have their symbol names.
type Symbols struct {
	frames func(trace.Stack, func(report.Frame) bool)
	files  func(i int) (SiteFile, bool)

	// Elsewhere is the position of a site that no table has; nil knows none.
	Elsewhere func(trace.Site) Site

	stacks  map[trace.Stack][]report.Frame
	softs   answers
	appends answers
	tables  []siteTable
	pkgs    map[string]bool
	byLine  map[lineKey][]Site // sites without a call of their own, and all others, by place
}

// SiteFile is the site table of one rewritten file: line i of Table is site Base+i, as package rt describes it.
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

type lineKey struct {
	file string
	line int
}

// NewSymbols returns symbols that take a stack's frames, innermost first, from frames, which may be asked more than once for
// a stack and yields no more when it is told so, and the i-th site table from files, which may know more tables when it is asked again.
func NewSymbols(frames func(id trace.Stack, yield func(report.Frame) bool), files func(i int) (SiteFile, bool)) *Symbols {
	return &Symbols{
		frames: frames, files: files,
		stacks: make(map[trace.Stack][]report.Frame),
		pkgs:   make(map[string]bool),
	}
}

// refresh reads the site tables that came since the last call.
func (s *Symbols) refresh() {
	for {
		f, ok := s.files(len(s.tables))
		if !ok {
			return
		}
		s.tables = append(s.tables, siteTable{SiteFile: f})
		s.pkgs[f.Pkg] = true
		s.byLine = nil
		clear(s.softs)
	}
}

// Site looks a site number up.
func (s *Symbols) Site(id trace.Site) (Site, bool) {
	if id == 0 {
		return Site{}, false
	}
	s.refresh()
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

// at returns the expression of the site at file:line whose op is one of ops, and its column.
// Two different expressions on the line leave it open which one it was.
func (s *Symbols) at(file string, line int, ops ...string) (expr string, column int) {
	s.refresh()
	if s.byLine == nil {
		s.byLine = make(map[lineKey][]Site)
		for i := range s.tables {
			f := &s.tables[i]
			f.parse()
			for _, t := range f.sites {
				k := lineKey{f.File, t.Line}
				s.byLine[k] = append(s.byLine[k], t)
			}
		}
	}
	for _, t := range s.byLine[lineKey{file, line}] {
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

// maxStacks is how many stacks are remembered with their frames, half a KB each.
const maxStacks = 1 << 9

// Stack returns the frames of a stack, innermost first; nil when it is not known.
func (s *Symbols) Stack(id trace.Stack) []report.Frame {
	f, ok := s.stacks[id]
	if !ok {
		if len(s.stacks) == maxStacks {
			clear(s.stacks)
		}
		f = slices.Collect(s.walk(id))
		s.stacks[id] = f
	}
	return f
}

// walk goes over the frames of a stack, innermost first. Of most stacks no more is asked than which function takes a lock, by Soft and Appends: that is one of the innermost
// frames, and to name the others would take several times as long.
func (s *Symbols) walk(id trace.Stack) func(yield func(report.Frame) bool) {
	if f, ok := s.stacks[id]; ok {
		return slices.Values(f)
	}
	return func(yield func(report.Frame) bool) { s.frames(id, yield) }
}

// lockFrame tells the methods of the locks themselves, and Cond.Wait, which
// takes its caller's lock.
func lockFrame(fn string) bool {
	for _, p := range [...]string{"sync.(*Mutex).", "internal/sync.(*Mutex).", "sync.(*RWMutex).", "sync.(*rlocker).", "sync.(*Cond).Wait", "runtime."} {
		if strings.HasPrefix(fn, p) {
			return true
		}
	}
	return false
}

// lockPlace is the innermost frame of an acquisition's stack that called the lock. What the compiler wrote is none: the wrapper
// of a promoted method, of an interface's method that is called through a type parameter, or of a method value belongs to the package of
// the type, and passes the call on.
func (s *Symbols) lockPlace(id trace.Stack) (report.Frame, bool) {
	for f := range s.walk(id) {
		if !lockFrame(f.Func) && f.File != "<autogenerated>" {
			return f, true
		}
	}
	return report.Frame{}, false
}

// Soft reports whether the acquisition with this stack was made by rewritten code, so that
// its critical section holds everything there is to know about it. A table that came since the last new stack may
// not count yet: then the section is hard, which hides races at most.
func (s *Symbols) Soft(id trace.Stack) bool {
	return s.softs.of(id, func() bool {
		s.refresh()
		f, ok := s.lockPlace(id)
		return ok && s.rewritten(f)
	})
}

// userFrame is the innermost frame of a rewritten package, or the innermost one.
func (s *Symbols) userFrame(stack []report.Frame) report.Frame {
	s.refresh()
	for _, f := range stack {
		if s.rewritten(f) {
			return f
		}
	}
	return stack[0]
}

// rewritten reports whether f is a function of a rewritten package.
func (s *Symbols) rewritten(f report.Frame) bool {
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
