package gocapture

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// access is an access of a goroutine to what it shares with the function that starts it.
type access struct {
	event    *flow.Event
	body     *flow.Func
	path     flow.Path // in the function
	held     map[flow.Path]flow.Mode
	releases []*flow.Event // after it
	begin    *flow.Event   // where the code begins to run beside others, nil: where the body does
	spawn    *flow.Spawn
}

func (a *access) writes() bool { return a.event.Kind == flow.Write }

// shared are the accesses of a spawn to locations that are not its own.
func (c *checker) shared(s *flow.Spawn) []*access {
	if all, ok := c.bodies[s]; ok {
		return all
	}
	c.bodies[s] = nil
	if s.Body == nil {
		return nil
	}
	body := c.p.Func(s.Body)
	reassigned := map[types.Object]bool{}
	for e := range body.Events {
		if e.Kind == flow.Write && e.Path.Sel == "" {
			reassigned[e.Path.Root] = true
		}
	}
	var begin *flow.Event
	after := func(visit func(*flow.Event) bool) { body.FromEntry(visit) }
	if s.Start == flow.Parallel { // (G6)
		parallel := c.p.CallsParallel(s.Body.(*ast.FuncLit))
		for e := range body.Events {
			if e.Call == parallel {
				begin = e
			}
		}
		if begin == nil {
			return nil
		}
		after = func(visit func(*flow.Event) bool) { body.After(begin, visit) }
	}
	var all []*access
	after(func(e *flow.Event) bool {
		if e.Kind != flow.Read && e.Kind != flow.Write {
			return true
		}
		path := s.Outside(e.Path)
		if !path.Valid() || reassigned[e.Path.Root] && path.Root != e.Path.Root {
			return true
		}
		a := &access{event: e, body: body, path: path, held: map[flow.Path]flow.Mode{}, begin: begin, spawn: s}
		for l, m := range c.p.HeldAt(body, e) {
			if l = s.Outside(l); l.Valid() {
				a.held[l] |= m
			}
		}
		a.releases = releases(body, e)
		if s.Start == flow.Group {
			a.releases = append(a.releases, &flow.Event{Kind: flow.Release, Op: flow.OpGroup, Path: s.Group})
		}
		all = append(all, a)
		return true
	})
	slices.SortStableFunc(all, func(a, b *access) int { // writes first: they say more than reads
		if a.writes() == b.writes() {
			return 0
		} else if a.writes() {
			return -1
		}
		return 1
	})
	c.bodies[s] = all
	return all
}

// releases are the events after e for which another goroutine may wait.
func releases(f *flow.Func, e *flow.Event) (all []*flow.Event) {
	f.After(e, func(x *flow.Event) bool {
		switch x.Kind {
		case flow.Release:
			all = append(all, x)
		case flow.Spawns:
			all = append(all, &flow.Event{Kind: flow.Release, Op: flow.OpCall})
		}
		return true
	})
	return all
}

// isCapture reports whether a location belongs to a variable of a function.
func (c *checker) isCapture(p flow.Path) bool {
	return p.Root.Parent() != c.pass.Pkg.Scope() && p.Root.Pkg() == c.pass.Pkg
}
