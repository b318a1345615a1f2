package flow

import (
	"maps"
	"strings"
)

// Mode is the set of the ways in which a lock may be held.
type Mode uint8

const (
	AsFound   Mode = 1 << iota // as it was when the function began
	Free                       // given back by the function
	Shared                     // locked for reading
	Exclusive                  // locked
	Anyhow    = AsFound | Free | Shared | Exclusive
)

// State is how the locks may be held; those that are not in it are AsFound.
type State map[Path]Mode

// Of is the mode of a lock.
func (s State) Of(p Path) Mode {
	if m, ok := s[p]; ok {
		return m
	}
	return AsFound
}

// pending is a path that no lock has: it is Exclusive from where the unlocking of p is deferred.
func (p Path) pending() Path { return p.Add("!") }

// Pending reports whether the unlocking of a lock is deferred: for certain, or maybe.
func (s State) Pending(p Path) (certain, maybe bool) {
	m := s.Of(p.pending())
	return m == Exclusive, m&Exclusive != 0
}

// Held reports whether the function holds a lock for certain.
func (m Mode) Held() bool { return m != 0 && m&^(Shared|Exclusive) == 0 }

func (s State) merge(o State) (changed bool) {
	for p, m := range s {
		if n := m | o.Of(p); n != m {
			s[p], changed = n, true
		}
	}
	for p, m := range o {
		if _, ok := s[p]; !ok {
			s[p], changed = m|AsFound, changed || m != AsFound
		}
	}
	return changed
}

// Apply changes the state by an event.
func (p *Package) Apply(s State, e *Event) {
	switch e.Kind {
	case Lock, RLock:
		switch {
		case s.Of(e.Path).Held(): // held twice
			s[e.Path] = Anyhow
		case e.Kind == Lock:
			s[e.Path] = Exclusive
		default:
			s[e.Path] = Shared
		}
	case Unlock, RUnlock:
		if s.Of(e.Path) != Anyhow { // an unknown mode stays unknown
			s[e.Path] = Free
		}
	case TryLock:
		s[e.Path] = Anyhow
	case Defers:
		s[e.Path.pending()] = Exclusive
		if e.Call == nil { // by something inside of the deferred call, if at all
			s[e.Path.pending()] = Anyhow
		}
	case Declare:
		for lock := range s {
			if lock.Root == e.Path.Root {
				delete(s, lock)
			}
		}
	case Write:
		for lock := range s {
			if lock != e.Path && lock.Within(e.Path) {
				s[lock] = Anyhow
			}
		}
	case Calls:
		for _, l := range p.EffectsOf(e) {
			if l.Leaves != 0 {
				s[l.Path] = l.Leaves
			}
		}
	}
}

// Before calls visit with each event that can run and the state in which it does. The state is
// visit's until it returns.
func (p *Package) Before(f *Func, visit func(*Event, State)) {
	p.solve(f)
	for _, b := range f.Blocks {
		if f.states[b.index] == nil {
			continue
		}
		s := maps.Clone(f.states[b.index])
		for _, e := range b.Events {
			visit(e, s)
			p.Apply(s, e)
		}
	}
}

// solve finds the states at the beginning of the blocks.
func (p *Package) solve(f *Func) {
	if f.states != nil {
		return
	}
	f.states = make([]State, len(f.Blocks))
	f.states[0] = State{}
	queue := []*Block{f.Blocks[0]}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		s := maps.Clone(f.states[b.index])
		for _, e := range b.Events {
			p.Apply(s, e)
		}
		for _, next := range b.Succs {
			switch {
			case f.states[next.index] == nil:
				f.states[next.index] = maps.Clone(s)
			case !f.states[next.index].merge(s):
				continue
			}
			queue = append(queue, next)
		}
	}
}

// AtExit is the state in which a function ends, nil if it does not.
func (p *Package) AtExit(f *Func) State {
	p.solve(f)
	if f.states[f.Exit.index] == nil {
		return nil
	}
	s := maps.Clone(f.states[f.Exit.index])
	for _, e := range f.Exit.Events {
		p.Apply(s, e)
	}
	return s
}

// HeldAt are the locks that are held for certain when e runs, with the mode.
func (p *Package) HeldAt(f *Func, e *Event) map[Path]Mode {
	p.solve(f)
	held := map[Path]Mode{}
	for _, l := range e.Under {
		held[l] = Exclusive
	}
	if f.states[e.block.index] == nil {
		return held
	}
	s := maps.Clone(f.states[e.block.index])
	for _, before := range e.block.Events[:e.index] {
		p.Apply(s, before)
	}
	for l, m := range s {
		if m.Held() && !strings.HasSuffix(l.Sel, "!") {
			held[l] |= m
		}
	}
	return held
}
