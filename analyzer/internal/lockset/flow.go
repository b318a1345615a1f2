package lockset

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// flow finds the locks that a function holds at each instruction.
type flow struct {
	names      names
	effect     func(*ssa.CallCommon) *Effect // of a call that is no operation of a lock itself; nil: none
	semaphores semaphores
}

// instant reports whether an instruction may change the state.
func (f *flow) instant(instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.RunDefers:
		return true
	case *ssa.Call:
		op, _ := byName(&i.Call)
		return op != None || f.effect(&i.Call) != nil
	case *ssa.Send, *ssa.UnOp, *ssa.Select:
		if len(f.semaphores) == 0 {
			return false
		}
		for _, o := range channelOps(instr) {
			if f.semaphores[f.names.classOf(o.ch)] {
				return true
			}
		}
	}
	return false
}

// run visits every instruction that can be reached with the state before it, once. The state of
// returns is given to visit like that of all others.
func (f *flow) run(fn *ssa.Function, entry State, visit func(ssa.Instruction, State)) {
	if len(fn.Blocks) == 0 {
		return
	}
	changes := false
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			changes = changes || f.instant(instr)
		}
	}
	if !changes {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				visit(instr, entry)
			}
		}
		return
	}
	before := make([]*State, len(fn.Blocks))
	before[0] = &entry
	work := []*ssa.BasicBlock{fn.Blocks[0]}
	for turns := 0; len(work) > 0 && turns < 50*len(fn.Blocks); turns++ {
		b := work[0]
		work = work[1:]
		s := *before[b.Index]
		for _, instr := range b.Instrs {
			s = f.step(fn, instr, s)
		}
		for i, succ := range b.Succs {
			out := f.branch(b, i, s)
			if old := before[succ.Index]; old != nil {
				joined := join(*old, out)
				if joined.string() == old.string() {
					continue
				}
				out = joined
			}
			before[succ.Index] = &out
			work = append(work, succ)
		}
	}
	for _, b := range fn.Blocks {
		if before[b.Index] == nil {
			continue
		}
		s := *before[b.Index]
		for _, instr := range b.Instrs {
			visit(instr, s)
			s = f.step(fn, instr, s)
		}
	}
}

// step is the state after an instruction.
func (f *flow) step(fn *ssa.Function, instr ssa.Instruction, s State) State {
	switch i := instr.(type) {
	case *ssa.Call:
		return f.call(&i.Call, i, s)
	case *ssa.RunDefers:
		f.deferred(fn, instr, s, func(_ *ssa.Defer, after State) { s = after })
	case *ssa.Send, *ssa.UnOp, *ssa.Select:
		if len(f.semaphores) > 0 {
			return f.semaphore(instr, s)
		}
	}
	return s
}

// deferred goes through the deferred calls of a function, the last one first, and visits each with
// the state after it.
func (f *flow) deferred(fn *ssa.Function, run ssa.Instruction, s State, visit func(d *ssa.Defer, after State)) {
	for _, b := range slices.Backward(fn.Blocks) {
		for _, d := range slices.Backward(b.Instrs) {
			d, ok := d.(*ssa.Defer)
			if !ok {
				continue
			}
			before := s
			if s = f.call(&d.Call, d, s); !b.Dominates(run.Block()) {
				s = join(before, s)
			}
			visit(d, s)
		}
	}
}

func (f *flow) call(c *ssa.CallCommon, at ssa.Instruction, s State) State {
	op, lock := byName(c)
	if op == None || f.names.classOf(lock) == "" && !ofSync(c) {
		if e := f.effect(c); e != nil {
			return e.after(f.names, s, c, at)
		}
		if op, lock = OpOf(c); op == None {
			return s
		}
	}
	h := Held{Key: PathOf(lock), Class: f.names.classOf(lock), Write: op == Lock || op == TryLock, Must: op == Lock || op == RLock, At: at.Pos()}
	if op == Unlock || op == RUnlock {
		return s.without(h.Key, h.Class)
	}
	return s.acquired(h)
}

// branch is the state on the way to the i-th successor of a block: the condition may say whether a
// lock was acquired.
func (f *flow) branch(b *ssa.BasicBlock, i int, s State) State {
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return s
	}
	v, holds := cond.Cond, i == 0
	if not, ok := v.(*ssa.UnOp); ok && not.Op == token.NOT {
		v, holds = not.X, !holds
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return s
	}
	op, lock := byName(&call.Call)
	if op != TryLock && op != TryRLock {
		return s
	}
	key := PathOf(lock)
	if !holds {
		s.Held = slices.DeleteFunc(slices.Clone(s.Held), func(h Held) bool { return h.Key == key })
		return s
	}
	return s.acquired(Held{Key: key, Class: f.names.classOf(lock), Write: op == TryLock, Must: true, At: call.Pos()})
}
