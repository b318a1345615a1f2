package lockset

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Held is a lock that is held somewhere in a function.
type Held struct {
	Key   Path
	Class string    // of the lock, across instances; "" when it is of no struct type and no package variable
	Write bool      // not only for reading
	Some  bool      // not only for reading, on some way
	Must  bool      // on every way that leads there; if not, on some
	Chan  bool      // a channel that is used like a lock (C10)
	At    token.Pos // where it was acquired
}

// State has the locks that are held, or may be, at a point of a function.
type State struct {
	Held     []Held
	Any      bool   // the function may have been called with any other locks
	released []Held // given back without having been acquired here
}

// Has says how a lock of the class is held: must on every way, may on some. With write, holding it
// for reading does not count.
func (s *State) Has(class string, write bool) (must, may bool) {
	may = s.Any
	for i := range s.Held {
		h := &s.Held[i]
		if h.Class == class {
			must, may = must || h.Must && (h.Write || !write), may || h.Write || h.Some || !write
		}
	}
	return must, may
}

// string is equal for states that are equal but for the positions.
func (s *State) string() string {
	var b strings.Builder
	if s.Any {
		b.WriteString("any ")
	}
	for _, list := range [][]Held{s.Held, s.released} {
		for _, h := range list {
			b.WriteString(name(h.Key.Root) + h.Key.Steps + ":" + h.Class)
			if h.Write {
				b.WriteString("!")
			}
			if h.Must {
				b.WriteString("+")
			}
			if h.Some {
				b.WriteString("?")
			}
			b.WriteString(" ")
		}
		b.WriteString("/")
	}
	return b.String()
}

func name(v ssa.Value) string {
	if v == nil {
		return ""
	}
	if p := v.Parent(); p != nil {
		return p.String() + ":" + v.Name()
	}
	return v.String()
}

func (s State) acquired(h Held) State {
	h.Some = h.Some || h.Write
	s.Held = slices.DeleteFunc(slices.Clone(s.Held), func(o Held) bool { return o.Key == h.Key })
	s.Held = append(s.Held, h)
	return s
}

// without is s after an unlock. A lock that is not held is one of the caller's.
func (s State) without(key Path, class string) State {
	if i := slices.IndexFunc(s.Held, func(h Held) bool { return h.Key == key }); i >= 0 {
		s.Held = slices.Delete(slices.Clone(s.Held), i, i+1)
		return s
	}
	same := 0
	for _, h := range s.Held {
		if h.Class == class && class != "" {
			same++
		}
	}
	switch same {
	case 0:
		s.released = append(slices.Clip(s.released), Held{Key: key, Class: class, Must: true})
	case 1:
		s.Held = slices.DeleteFunc(slices.Clone(s.Held), func(h Held) bool { return h.Class == class })
	default: // one of them
		s.Held = slices.Clone(s.Held)
		for i := range s.Held {
			s.Held[i].Must = s.Held[i].Must && s.Held[i].Class != class
		}
	}
	return s
}

// join is the state where two ways meet.
func join(a, b State) State {
	return State{Held: joinHeld(a.Held, b.Held), released: joinHeld(a.released, b.released), Any: a.Any || b.Any}
}

func joinHeld(a, b []Held) []Held {
	var all []Held
	for _, x := range a {
		i := slices.IndexFunc(b, func(y Held) bool { return x.Key == y.Key })
		if i < 0 {
			x.Must = false
		} else {
			x.Some = x.Some || x.Write || b[i].Some || b[i].Write
			x.Must, x.Write = x.Must && b[i].Must, x.Write && b[i].Write
		}
		all = append(all, x)
	}
	for _, y := range b {
		if !slices.ContainsFunc(a, func(x Held) bool { return x.Key == y.Key }) {
			y.Must = false
			all = append(all, y)
		}
	}
	sortHeld(all)
	return all
}

func sortHeld(list []Held) {
	slices.SortFunc(list, func(x, y Held) int {
		return cmp.Or(cmp.Compare(x.At, y.At), strings.Compare(x.Class, y.Class), strings.Compare(x.Key.Steps, y.Key.Steps), strings.Compare(name(x.Key.Root), name(y.Key.Root)))
	})
}
