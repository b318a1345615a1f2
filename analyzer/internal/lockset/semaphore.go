package lockset

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// semaphores are the fields and package variables whose channel is used like a lock (C10), by
// class: nothing but a channel with room for one value is stored in them, and some function sends
// to it and receives from it later, by itself or by what it calls.
type semaphores map[string]bool

// findSemaphores finds those of the package, whose variables init initializes.
func (p *Program) findSemaphores(init *ssa.Function) semaphores {
	one := semaphores{}
	for _, fn := range append(slices.Clip(p.funcs), init) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				s, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				if _, isChan := s.Val.Type().Underlying().(*types.Chan); !isChan {
					continue
				}
				class := p.flow.names.classOf(s.Addr)
				was, seen := one[class]
				one[class] = roomForOne(s.Val) && (was || !seen)
			}
		}
	}
	for class, is := range one {
		if !is || class == "" {
			delete(one, class)
		}
	}
	if len(one) == 0 {
		return nil
	}
	sends, receives := map[*ssa.Function]semaphores{}, map[*ssa.Function]semaphores{}
	add := func(to map[*ssa.Function]semaphores, fn *ssa.Function, class string) {
		if to[fn] == nil {
			to[fn] = semaphores{}
		}
		to[fn][class] = true
	}
	for _, fn := range p.funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				for _, o := range channelOps(instr) {
					if class := p.flow.names.classOf(o.ch); one[class] && o.send {
						if o.maybe && !tells(fn) { // it wakes somebody up, who may be awake
							continue
						}
						add(sends, fn, class)
					} else if one[class] {
						add(receives, fn, class)
					}
				}
			}
		}
	}
	found := semaphores{}
	for _, fn := range p.funcs {
		sent := map[string][]ssa.Instruction{}
		visit := func(does map[*ssa.Function]semaphores, self ssa.Instruction, send bool, note func(class string)) {
			for _, o := range channelOps(self) {
				if class := p.flow.names.classOf(o.ch); o.send == send && does[fn][class] {
					note(class)
				}
			}
			if c, ok := self.(ssa.CallInstruction); ok {
				if _, isGo := self.(*ssa.Go); !isGo {
					for class := range does[callee(c.Common())] {
						note(class)
					}
				}
			}
		}
		for _, b := range fn.DomPreorder() {
			for _, instr := range b.Instrs {
				visit(receives, instr, false, func(class string) {
					for _, s := range sent[class] {
						found[class] = found[class] || s.Block().Dominates(b)
					}
				})
				visit(sends, instr, true, func(class string) { sent[class] = append(sent[class], instr) })
			}
		}
	}
	return found
}

// tells reports whether what a function returns is whether it did what it tried.
func tells(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	if results.Len() != 1 {
		return false
	}
	b, ok := results.At(0).Type().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool || types.Identical(results.At(0).Type(), types.Universe.Lookup("error").Type())
}

// roomForOne reports whether a value is a new channel with room for one value.
func roomForOne(v ssa.Value) bool {
	if t, ok := v.(*ssa.ChangeType); ok {
		v = t.X
	}
	made, ok := v.(*ssa.MakeChan)
	if !ok {
		return false
	}
	size, ok := made.Size.(*ssa.Const)
	return ok && size.Value != nil && constant.Compare(size.Value, token.EQL, constant.MakeInt64(1))
}

type channelOp struct {
	ch    ssa.Value
	send  bool
	maybe bool // it may do something else
}

// channelOps are what an instruction sends to and receives from.
func channelOps(instr ssa.Instruction) (all []channelOp) {
	switch i := instr.(type) {
	case *ssa.Send:
		return []channelOp{{ch: i.Chan, send: true}}
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return []channelOp{{ch: i.X}}
		}
	case *ssa.Select:
		for _, s := range i.States {
			all = append(all, channelOp{s.Chan, s.Dir == types.SendOnly, !i.Blocking || len(i.States) > 1})
		}
	}
	return all
}

// semaphore is the state after an instruction that may take a semaphore or give it back.
func (f *flow) semaphore(instr ssa.Instruction, s State) State {
	for _, o := range channelOps(instr) {
		class := f.names.classOf(o.ch)
		if !f.semaphores[class] {
			continue
		}
		key := PathOf(o.ch)
		switch {
		case o.send:
			s = s.acquired(Held{Key: key, Class: class, Write: true, Must: !o.maybe, Chan: true, At: instr.Pos()})
		case o.maybe:
			s = join(s, s.without(key, class))
		default:
			s = s.without(key, class)
		}
	}
	return s
}
