package gocapture

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer/internal/flow"
	"github.com/racepred/racepred/analyzer/internal/locker"
)

type checker struct {
	pass     *analysis.Pass
	p        *flow.Package
	bodies   map[*flow.Spawn][]*access
	reported map[reportKey]bool
}

// reportKey identifies a report: a location of a variable, shared with goroutines of one go
// statement. Each key is reported once.
type reportKey struct {
	root  types.Object
	spawn ast.Node
	at    ast.Node // of what conflicts, without root: a statement that conflicts by several variables is reported once
}

// function checks what a function starts.
func (c *checker) function(f *flow.Func) {
	var spawns []*flow.Event
	for e := range f.Events {
		if e.Kind == flow.Spawns && !e.Deferred {
			spawns = append(spawns, e)
		}
	}
	for _, s := range spawns {
		for _, a := range c.shared(s.Spawn) {
			if c.isCapture(a.path) && !c.inside(f, s, a.path) && !c.reported[reportKey{root: a.path.Root, spawn: s.Spawn.Stmt}] {
				c.after(f, s, a, len(spawns) == 1)
			}
		}
	}
}

// inside reports whether a location belongs to a literal that runs in place in the function and
// starts the goroutine. It is a new location each time, and the check of the literal itself covers
// it.
func (c *checker) inside(f *flow.Func, s *flow.Event, p flow.Path) bool {
	if !s.InPlace {
		return false
	}
	for _, lit := range c.p.Lits {
		in := func(pos token.Pos) bool { return lit.Pos() <= pos && pos < lit.End() }
		if ast.Node(lit) != f.Node && f.Node.Pos() <= lit.Pos() && lit.End() <= f.Node.End() && in(s.Spawn.Stmt.Pos()) && in(p.Root.Pos()) {
			return true
		}
	}
	return false
}

// after looks for an access that conflicts with a, after the start of its goroutine.
func (c *checker) after(f *flow.Func, s *flow.Event, a *access, strict bool) {
	done := false
	f.After(s, func(e *flow.Event) bool {
		if done || ends(e, a.path) {
			return false
		}
		switch e.Kind {
		case flow.Acquire:
			if e.Op == flow.OpQuiet {
				return false
			}
			if s.Spawn.Start == flow.Parallel { // (G6)
				return true
			}
			for _, r := range a.releases {
				if c.matches(r, e, strict) { // (G1)
					return false
				}
			}
		case flow.Read, flow.Write:
			if s.Spawn.Start != flow.Parallel && c.conflict(f, a, e) {
				c.report(s, a, e, nil)
				done = true
			}
		case flow.Spawns: // (G4)
			if (s.Spawn.Start == flow.Parallel) != (e.Spawn.Start == flow.Parallel) {
				return true
			}
			for _, b := range c.shared(e.Spawn) {
				if c.conflictOf(a, b) {
					c.report(s, a, e, b)
					done = true
					return false
				}
			}
		}
		return !done
	})
}

// ends reports whether a path denotes another location after e. (G5)
func ends(e *flow.Event, p flow.Path) bool {
	switch e.Kind {
	case flow.Declare:
		return e.Path.Root == p.Root
	case flow.Write:
		return p != e.Path && p.Within(e.Path) && strings.ContainsAny(p.Sel[len(e.Path.Sel):], "*[")
	}
	return false
}

// conflict reports whether an access of the function races with one of the goroutine.
func (c *checker) conflict(f *flow.Func, a *access, e *flow.Event) bool {
	return (a.writes() || e.Kind == flow.Write) && flow.Overlaps(a.path, e.Path) &&
		!protected(a.held, c.p.HeldAt(f, e)) && !c.callersLock(f, a, e) && c.gets(a, releases(f, e))
}

// callersLock reports whether a goroutine accesses memory behind a pointer under a lock that is
// there, too, and that either the function never takes, so that its caller may hold it, or of which
// it is not known whether it is held at e. (G10)
func (c *checker) callersLock(f *flow.Func, a *access, e *flow.Event) bool {
	if d, ok := f.Node.(*ast.FuncDecl); ok && len(c.p.HeldAt(a.body, a.event)) > 0 && strings.HasPrefix(a.path.Sel, "*") && locker.Documented(d) {
		return true
	}
	uncertain := map[flow.Path]bool{} // how it is held here: a call may have given it back, and taken it again
	c.p.Before(f, func(x *flow.Event, s flow.State) {
		if x == e {
			for l := range a.held {
				uncertain[l] = s.Of(l)&flow.Exclusive != 0
			}
		}
	})
	for l := range a.held {
		if uncertain[l] {
			return true
		}
		if l.Root != a.path.Root || !strings.HasPrefix(a.path.Sel, "*") {
			continue
		}
		taken := false
		for e := range f.Events {
			taken = taken || (e.Kind == flow.Lock || e.Kind == flow.RLock) && e.Path == l
		}
		if !taken {
			return true
		}
	}
	return false
}

// conflictOf reports whether accesses of two goroutines race.
func (c *checker) conflictOf(a, b *access) bool {
	return (a.writes() || b.writes()) && flow.Overlaps(a.path, b.path) && !protected(a.held, b.held) && c.gets(b, a.releases) && c.gets(a, b.releases) && !c.turns(a, b)
}
