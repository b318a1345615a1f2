//go:build racepred_seam

package process

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// symbols turns stack and site numbers into names. Site tables come from the
// rewritten files' inits and are read when first needed.
type symbols struct {
	stacks map[uint32][]report.Frame
	softs  map[uint32]bool
	tables int // tables read so far
	files  []siteFile
	pkgs   map[string]bool
	byLine map[lineKey][]site // sites without a call of their own, and all others, by place
}

type siteFile struct {
	file, pkg string
	base      uint32
	n         int
	table     string
	sites     []site // parsed when first needed
}

type site struct {
	line, column int
	op, expr, fn string
	file, pkg    string
}

type lineKey struct {
	file string
	line int
}

func newSymbols() *symbols {
	return &symbols{
		stacks: make(map[uint32][]report.Frame),
		softs:  make(map[uint32]bool),
		pkgs:   make(map[string]bool),
	}
}

// refresh reads the site tables that were registered since the last call.
func (s *symbols) refresh() {
	for {
		file, pkg, base, n, table, ok := runtime_sites(s.tables)
		if !ok {
			return
		}
		s.tables++
		s.files = append(s.files, siteFile{file: file, pkg: pkg, base: base, n: n, table: table})
		s.pkgs[pkg] = true
		s.byLine = nil
		clear(s.softs)
	}
}

// site looks a site number up.
func (s *symbols) site(id uint32) (site, bool) {
	s.refresh()
	for i := range s.files {
		f := &s.files[i]
		if id >= f.base && id-f.base < uint32(f.n) {
			f.parse()
			if k := int(id - f.base); k < len(f.sites) {
				return f.sites[k], true
			}
		}
	}
	return site{}, false
}

func (f *siteFile) parse() {
	if f.sites != nil {
		return
	}
	f.sites = make([]site, 0, f.n)
	for line := range strings.Lines(f.table) {
		t := site{file: f.file, pkg: f.pkg}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) == 4 {
			l, c, _ := strings.Cut(fields[0], ":")
			t.line, _ = strconv.Atoi(l)
			t.column, _ = strconv.Atoi(c)
			t.op, t.expr, t.fn = fields[1], fields[2], fields[3]
		}
		f.sites = append(f.sites, t)
	}
}

// at returns the expression of the site at file:line whose op is one of ops, and its column.
// Two different expressions on the line leave it open which one it was.
func (s *symbols) at(file string, line int, ops ...string) (expr string, column int) {
	s.refresh()
	if s.byLine == nil {
		s.byLine = make(map[lineKey][]site)
		for i := range s.files {
			f := &s.files[i]
			f.parse()
			for _, t := range f.sites {
				k := lineKey{f.file, t.line}
				s.byLine[k] = append(s.byLine[k], t)
			}
		}
	}
	for _, t := range s.byLine[lineKey{file, line}] {
		for _, op := range ops {
			if t.op != op {
				continue
			}
			if expr != "" && expr != t.expr {
				return "", 0
			}
			expr, column = t.expr, t.column
		}
	}
	return expr, column
}

// stack returns the frames of a stack without those of the recorder and of the
// runtime on top of them, innermost first.
func (s *symbols) stack(id uint32) []report.Frame {
	if f, ok := s.stacks[id]; ok {
		return f
	}
	var pcs [64]uintptr
	n := runtime_stack(id, pcs[:])
	var out []report.Frame
	if n > 0 {
		frames := runtime.CallersFrames(pcs[:n])
		for {
			f, more := frames.Next()
			if f.Function != "" && !(len(out) == 0 && internalFrame(f.Function)) && f.Function != "runtime.goexit" {
				out = append(out, report.Frame{Func: unescape(f.Function), File: f.File, Line: f.Line})
			}
			if !more {
				break
			}
		}
	}
	s.stacks[id] = out
	return out
}

func internalFrame(fn string) bool {
	return strings.HasPrefix(fn, "runtime.") || strings.HasPrefix(fn, "internal/race.") ||
		strings.HasPrefix(fn, "internal/runtime/") || strings.HasPrefix(fn, "sync/atomic.hook")
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

// lockPlace is the innermost frame of an acquisition's stack that called the lock.
func (s *symbols) lockPlace(id uint32) (report.Frame, bool) {
	for _, f := range s.stack(id) {
		if !lockFrame(f.Func) {
			return f, true
		}
	}
	return report.Frame{}, false
}

// soft reports whether the acquisition with this stack was made by rewritten code, so that
// its critical section holds everything there is to know about it.
func (s *symbols) soft(id uint32) bool {
	if v, ok := s.softs[id]; ok {
		return v
	}
	s.refresh()
	v := false
	if f, ok := s.lockPlace(id); ok {
		v = s.rewritten(f)
	}
	s.softs[id] = v
	return v
}

// rewritten reports whether f is a function of a rewritten package.
func (s *symbols) rewritten(f report.Frame) bool {
	pkg := funcPackage(f.Func)
	if pkg != "main" {
		return s.pkgs[pkg]
	}
	for i := range s.files {
		if s.files[i].file == f.File {
			return true
		}
	}
	return false
}

// funcPackage is the import path in a function's symbol name.
func funcPackage(fn string) string {
	// Type arguments may hold slashes and dots of their own.
	if i := strings.IndexByte(fn, '['); i >= 0 {
		fn = fn[:i]
	}
	slash := strings.LastIndexByte(fn, '/') + 1
	if dot := strings.IndexByte(fn[slash:], '.'); dot >= 0 {
		return fn[:slash+dot]
	}
	return fn
}

// unescape undoes the linker's escaping of dots in the last element of an import path.
func unescape(fn string) string {
	if !strings.Contains(fn, "%") {
		return fn
	}
	var b strings.Builder
	for i := 0; i < len(fn); i++ {
		if fn[i] == '%' && i+2 < len(fn) {
			if v, err := strconv.ParseUint(fn[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(fn[i])
	}
	return b.String()
}
