//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// convert turns one raw record of goroutine id into events.
func (a *analysis) convert(id uint32, r *rpRec) {
	kind := r.what >> 56
	if a.check != nil {
		a.check.record(id, r, a.next)
	}
	if kind >= rpTicketed {
		a.next++
		if kind == rpFork {
			// The second ticket named a span of the other goroutine.
			a.next++
		}
	}
	a.touch(id)
	ev := &a.ev // field by field: a literal would be made elsewhere and copied in wider pieces, for which the processor has to wait
	ev.G = trace.G(id)
	ev.Addr = trace.Addr(r.what & rpAddrMask)
	ev.Size = uint32(r.when >> 48)
	ev.Site = trace.Site(r.site)
	ev.Stack = trace.Stack(r.stack)
	ev.Flags, ev.Other = 0, 0
	if r.what&rpUnseen != 0 && !a.seen && a.unlooked(kind, ev) {
		return
	}
	switch kind {
	case rpRead:
		if !a.ofOwnLock(ev) {
			a.guarded(ev, looks)
		}
		a.emit(trace.Read, ev)
	case rpWrite:
		a.guarded(ev, writes)
		a.emit(trace.Write, ev)
	case rpAppend:
		ev.Flags = trace.FlagAppend | trace.FlagUnseen
		a.guarded(ev, writes)
		a.emit(trace.Write, ev)
	case rpPart: // right after it
		ev.Flags = trace.FlagAppend
		if r.what>>48&0xff == rpWrite {
			a.emit(trace.Write, ev)
		} else {
			a.emit(trace.Read, ev)
		}
	case rpModify:
		a.modify(trace.Operation(r.what>>48), ev)
	case rpOpaque:
		if r.what>>48&rpOpaqueReads != 0 {
			a.guarded(ev, leavesReads)
		} else if a.guarded(ev, leavesOut) {
			a.emit(trace.Opaque, ev)
		}
	case rpAcquire:
		a.hears(ev, ev.Addr)
		a.emit(trace.HardAcquire, ev)
	case rpRelease:
		a.tells(ev.G, ev.Addr)
		a.emit(trace.HardRelease, ev)
	case rpReleaseMerge:
		a.tells(ev.G, ev.Addr)
		a.emit(trace.HardMerge, ev)
	case rpReleaseAcquire:
		a.tells(ev.G, ev.Addr)
		a.hears(ev, ev.Addr)
		a.emit(trace.HardSwap, ev)
	case rpLock, rpRLock:
		if !a.sections.Soft(ev.Stack) && (a.seen || !a.sections.Appends(ev.Stack)) {
			ev.Flags |= trace.FlagHard
		}
		leaves := ev.Size&rpLockLeavesReads != 0
		if ev.Size &= rpLockRead; ev.Size != 0 {
			flags := ev.Flags
			ev.Flags = 0
			a.emit(trace.Read, ev)
			ev.Flags, ev.Size = flags, 0
		}
		if kind == rpLock {
			a.emit(trace.Acquire, ev)
		} else {
			a.emit(trace.RAcquire, ev)
		}
		a.enter(ev)
		if leaves {
			a.guarded(ev, leavesReads)
		}
	case rpUnlock:
		a.leave(ev)
		a.emit(trace.Release, ev)
	case rpRUnlock:
		a.leave(ev)
		a.emit(trace.RRelease, ev)
	case rpTryFail:
		a.tryFails(ev)
		a.emit(trace.TryFail, ev)
	case rpAtomicLoad, rpAtomicStore, rpAtomicRMW, rpAtomicAdd, rpAtomicAnd, rpAtomicOr:
		a.atomic(kind, ev)
	case rpChange:
		a.tells(ev.G, ev.Addr)
		a.hears(ev, ev.Addr)
		a.emit(trace.Change, ev)
	case rpObserve:
		a.hears(ev, ev.Addr)
		a.emit(trace.Observe, ev)
	case rpCommute:
		a.tells(ev.G, ev.Addr)
		ev.Flags = trace.FlagUnseen
		a.emit(trace.Change, ev)
	case rpToken:
		a.tells(ev.G, ev.Addr)
		if t, known := a.tokens[ev.Addr]; known && (t.spent || ev.Size&rpTokenSent == 0 && t.holder != ev.G) {
			a.hears(ev, ev.Addr) // it is no lock
		}
		a.token(ev)
	case rpFork:
		a.tells(ev.G, goroutines)
		a.starts(ev.G, trace.G(ev.Addr))
		a.commute(ev.G, goroutines)
		ev.Other, ev.Addr = uint32(ev.Addr), 0
		a.emit(trace.Fork, ev)
	case rpEnd:
		a.tells(ev.G, goroutines)
		a.tells(ev.G, finalizers)
		a.commute(ev.G, goroutines)
		ev.Addr = finalizers
		a.emit(trace.HardMerge, ev)
		ev.Addr = 0
		a.emit(trace.End, ev)
		a.touched[id] = 0
		a.forgetGuards(ev.G)
	case rpAlloc:
		a.forgetTokens(ev)
		a.emit(trace.Alloc, ev)
	case rpAcquireAll:
		a.toldByAll(ev)
		a.acquireAll(ev)
	case rpToldOfAll:
		a.toldByAll(ev)
		a.toldOfAll(ev)
	case rpTestBegin:
		ev.Other, ev.Addr = uint32(ev.Addr), 0
		a.emit(trace.TestBegin, ev)
	}
}

func (a *analysis) emit(k trace.Kind, ev *trace.Event) {
	ev.Kind = k
	a.events++
	if a.check != nil {
		a.check.event(ev)
	}
	if a.recorder != nil {
		a.record(ev)
	}
	a.engine.Take(ev)
}

// atomic spells out an atomic operation: it is an access of the variable, a
// synchronization (Go memory model: what is observed is synchronized), and its
// place among the operations on the variable is pinned, unless nobody looks at its result (see unseen.go).
func (a *analysis) atomic(kind uint64, ev *trace.Event) {
	size := ev.Size
	unseen := a.flagOf(kind, ev.Addr)
	busy := ev.Stack == 0 // runtimehooks/busy.go
	step := func(k trace.Kind) {
		ev.Flags, ev.Size = 0, 0
		if k == trace.Read || k == trace.Write {
			if busy {
				return
			}
			ev.Flags, ev.Size = trace.FlagAtomic, size
		}
		if k != trace.HardMerge {
			ev.Flags |= unseen
		}
		a.emit(k, ev)
	}
	if kind != rpAtomicLoad {
		a.tells(ev.G, ev.Addr)
	}
	if kind != rpAtomicStore && unseen == 0 {
		a.hears(ev, ev.Addr)
		if kind != rpAtomicLoad && busy { // what it is told may be due to the access, which is left out
			a.tells(ev.G, ev.Addr)
		}
	}
	if kind == rpAtomicLoad {
		a.guarded(ev, looks)
	} else {
		a.guarded(ev, writes)
	}
	switch kind {
	case rpAtomicLoad:
		step(trace.Observe)
		step(trace.HardAcquire)
		step(trace.Read)
	case rpAtomicStore:
		step(trace.Change)
		step(trace.Write)
		step(trace.HardRelease)
	default:
		step(trace.Change)
		step(trace.HardAcquire)
		step(trace.Write)
		step(trace.HardMerge)
	}
}
