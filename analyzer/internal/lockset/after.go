package lockset

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// waited reports whether the function has waited, on every way to an instruction, for a channel or
// a WaitGroup. The instruction is taken to come after what it waited for. A channel that a call
// returned, as that of a context, does not count, nor does one that a loop receives from: such a
// loop gets its work there.
func (p *Program) waited(at ssa.Instruction) bool {
	for b := at.Block(); b != nil; b = b.Idom() {
		for _, instr := range b.Instrs {
			if instr == at {
				break
			}
			switch i := instr.(type) {
			case *ssa.UnOp:
				if i.Op == token.ARROW && signals(i.X) && (empty(i.X) || !i.CommaOk && !reaches(b, b)) {
					return true
				}
			case *ssa.Call:
				if path, recv, name := function(&i.Call); path == "sync" && recv == "WaitGroup" && name == "Wait" || path == "golang.org/x/sync/errgroup" && name == "Wait" {
					return true
				}
			}
		}
		if selected(b) || b != at.Block() && p.waitsInLoop(b) && !reaches(at.Block(), b) {
			return true
		}
	}
	return false
}

// waitsInLoop reports whether a block is the head of a loop that waits for a channel again and
// again, and does nothing with what it receives, as in for range n { <-done }.
func (p *Program) waitsInLoop(head *ssa.BasicBlock) bool {
	waits, known := p.waitLoops[head]
	if known {
		return waits
	}
	loop := map[*ssa.BasicBlock]bool{head: true}
	var work []*ssa.BasicBlock
	for _, b := range head.Preds {
		if head.Dominates(b) {
			work = append(work, b)
		}
	}
	for len(work) > 0 && !waits {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !loop[b] {
			loop[b] = true
			work = append(work, b.Preds...)
		}
		waits = slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
			i, ok := instr.(*ssa.UnOp)
			return ok && i.Op == token.ARROW && signals(i.X) && (empty(i.X) || i.Referrers() == nil || len(*i.Referrers()) == 0)
		})
	}
	p.waitLoops[head] = waits
	return waits
}

// waitsAfter reports whether the function may wait for a channel or a WaitGroup behind an
// instruction.
func waitsAfter(at ssa.Instruction) bool {
	from := at.Block()
	for _, b := range from.Parent().Blocks {
		if b != from && !reaches(from, b) {
			continue
		}
		behind := b != from || reaches(b, b)
		for _, instr := range b.Instrs {
			behind = behind || instr == at
			if !behind {
				continue
			}
			switch i := instr.(type) {
			case *ssa.UnOp:
				if i.Op == token.ARROW {
					return true
				}
			case *ssa.Select:
				return true
			case *ssa.Call:
				if _, _, name := function(&i.Call); name == "Wait" {
					return true
				}
			}
		}
	}
	return false
}

// selected reports whether a block begins a case of a select that waits for such a channel.
func selected(b *ssa.BasicBlock) bool {
	if len(b.Preds) != 1 || b.Preds[0].Succs[0] != b {
		return false
	}
	last := b.Preds[0].Instrs
	cond, ok := last[len(last)-1].(*ssa.If)
	if !ok {
		return false
	}
	eq, ok := cond.Cond.(*ssa.BinOp)
	if !ok || eq.Op != token.EQL {
		return false
	}
	index, ok := eq.X.(*ssa.Extract)
	n, isConst := eq.Y.(*ssa.Const)
	if !ok || !isConst || n.Value == nil {
		return false
	}
	sel, ok := index.Tuple.(*ssa.Select)
	if !ok || index.Index != 0 || n.Int64() < 0 || n.Int64() >= int64(len(sel.States)) {
		return false
	}
	s := sel.States[n.Int64()]
	return s.Dir == types.RecvOnly && signals(s.Chan) && empty(s.Chan)
}

func signals(ch ssa.Value) bool {
	_, isCall := ch.(*ssa.Call)
	return !isCall
}

// empty reports whether a channel carries nothing.
func empty(ch ssa.Value) bool {
	c, ok := ch.Type().Underlying().(*types.Chan)
	if !ok {
		return false
	}
	st, ok := c.Elem().Underlying().(*types.Struct)
	return ok && st.NumFields() == 0
}
