package lockset

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Effect is the fact that a function changes which locks its caller holds: it returns with locks
// that it acquired, or gives back locks of the caller.
type Effect struct{ Changes []Change }

// Change is one lock of an Effect.
type Change struct {
	Param   int // which parameter the lock belongs to, the receiver first; -1: none
	Steps   string
	Class   string
	Acquire bool // if not, it is given back
	Write   bool
	Chan    bool
	Must    bool // on every way through the function
}

// AFact marks an Effect as a fact.
func (*Effect) AFact() {}

func (e *Effect) String() string { return fmt.Sprint(e.Changes) }

// effectOf is the effect of a function that returns in the state s if it begins without locks.
func effectOf(fn *ssa.Function, s State) *Effect {
	e := &Effect{}
	back := func(h, o Held) bool { return h.Key == o.Key || h.Class != "" && h.Class == o.Class } // given back and taken again
	held := slices.DeleteFunc(slices.Clone(s.Held), func(h Held) bool {
		return slices.ContainsFunc(s.released, func(o Held) bool { return back(h, o) })
	})
	released := slices.DeleteFunc(slices.Clone(s.released), func(h Held) bool {
		return slices.ContainsFunc(s.Held, func(o Held) bool { return back(h, o) })
	})
	add := func(list []Held, acquire bool) {
		for _, h := range list {
			c := Change{Param: -1, Steps: h.Key.Steps, Class: h.Class, Acquire: acquire, Write: h.Write, Chan: h.Chan, Must: h.Must}
			switch root := h.Key.Root.(type) {
			case *ssa.Parameter:
				if c.Param = slices.Index(fn.Params, root); c.Param < 0 && (fn.Parent() == nil || h.Class == "") {
					continue
				}
			case *ssa.Global, nil:
			default:
				if fn.Parent() == nil || h.Class == "" {
					continue // of no caller's
				}
			}
			e.Changes = append(e.Changes, c)
		}
	}
	add(held, true)
	add(released, false)
	return e
}

// after is the state after a call of a function with the effect.
func (e *Effect) after(ns names, s State, call *ssa.CallCommon, at ssa.Instruction) State {
	args := arguments(call)
	for _, c := range e.Changes {
		key, class := Path{Steps: c.Class}, c.Class
		if 0 <= c.Param && c.Param < len(args) {
			p := PathOf(args[c.Param])
			key = Path{p.Root, p.Steps + c.Steps}
			if class == "" && c.Steps == "" { // a parameter that is the lock
				class = ns.classOf(args[c.Param])
			}
		}
		if !c.Acquire {
			if c.Must {
				s = s.without(key, class)
			} else {
				s = join(s, s.without(key, class))
			}
			continue
		}
		if !c.Must && slices.ContainsFunc(s.Held, func(h Held) bool { return h.Key == key }) {
			continue // it is held already
		}
		s = s.acquired(Held{Key: key, Class: class, Write: c.Write, Chan: c.Chan, Must: c.Must, At: at.Pos()})
	}
	return s
}
