package records

import "github.com/racepred/racepred/internal/trace"

// Convert turns one raw record of goroutine id into events.
func (c *Converter) Convert(id uint32, r *Record) {
	kind := r.kind()
	if c.check != nil {
		c.check.record(id, r, c.next)
	}
	if kind >= rpTicketed {
		c.turn()
		if kind == rpFork {
			// The second ticket named a span of the other goroutine.
			c.turn()
		}
	}
	c.touch(id)
	ev := &c.ev // field by field: a copy of a literal in wider pieces would wait for the stores of the literal
	ev.G = trace.G(id)
	ev.Addr = trace.Addr(r.What & rpAddrMask)
	ev.Size = uint32(r.When >> 48)
	ev.Site = trace.Site(r.Site)
	if r.Site != 0 && c.ofLibrary != nil && c.ofLibrary(ev.Site) {
		ev.Site = 0
	}
	ev.Stack = trace.Stack(r.Stack)
	ev.Flags, ev.Other = 0, 0
	if r.What&rpUnseen != 0 && !c.seen && c.unlooked(kind, ev) {
		return
	}
	switch kind {
	case rpRead:
		if r.What>>48&rpOfLock == 0 {
			c.useTokens(ev, looks)
		}
		c.emit(trace.Read, ev)
	case rpWrite:
		if r.What>>48&rpOfLock == 0 {
			c.useTokens(ev, writes)
		} else {
			ev.Flags = trace.FlagAtomic
		}
		c.emit(trace.Write, ev)
	case rpAppend:
		ev.Flags = trace.FlagAppend | trace.FlagUnseen
		c.useTokens(ev, writes)
		c.emit(trace.Write, ev)
	case rpPart: // right after its rpAppend
		ev.Flags = trace.FlagAppend
		if r.What>>48&0xff == rpWrite {
			c.emit(trace.Write, ev)
		} else {
			c.emit(trace.Read, ev)
		}
	case rpModify:
		c.modify(trace.Operation(r.What>>48), ev)
	case rpUnit:
		c.unit(ev)
	case rpMissed:
		c.missed(r, ev)
	case rpOpaque:
		if r.What>>48&rpOpaqueReads != 0 {
			c.useTokens(ev, leavesReads)
		} else if c.useTokens(ev, leavesOut) {
			c.emit(trace.Opaque, ev)
		}
	case rpAcquire:
		c.hears(ev, ev.Addr)
		c.emit(trace.HardAcquire, ev)
	case rpRelease:
		c.tells(ev.G, ev.Addr)
		c.emit(trace.HardRelease, ev)
	case rpReleaseMerge:
		c.tells(ev.G, ev.Addr)
		c.emit(trace.HardMerge, ev)
	case rpReleaseAcquire:
		c.tells(ev.G, ev.Addr)
		c.hears(ev, ev.Addr)
		c.emit(trace.HardSwap, ev)
	case rpLock, rpRLock:
		leaves, tried := ev.Size&rpLockLeavesReads != 0, ev.Size&rpLockTried != 0
		if ev.Size &= rpLockRead; ev.Size != 0 {
			c.emit(trace.Read, ev)
			ev.Size = 0
		}
		if !c.soft(ev.Stack) && (c.seen || !c.appends(ev.Stack)) {
			ev.Flags |= trace.FlagHard
		}
		hard := ev.Flags
		if tried {
			ev.Flags |= trace.FlagTried
		}
		if kind == rpLock {
			c.emit(trace.Acquire, ev)
		} else {
			c.emit(trace.RAcquire, ev)
		}
		ev.Flags = hard
		c.enter(ev)
		if leaves {
			c.useTokens(ev, leavesReads)
		}
	case rpUnlock:
		c.outlived(ev.G, ev.Addr)
		c.counts(ev.Addr, false, -1)
		c.ends(trace.Release, ev)
	case rpRUnlock:
		c.outlived(ev.G, ev.Addr)
		c.counts(ev.Addr, true, -1)
		c.ends(trace.RRelease, ev)
	case rpTryFail:
		c.tryFails(ev)
	case rpReload, rpAtomicLoad, rpAtomicStore, rpAtomicRMW, rpAtomicAdd, rpAtomicAnd, rpAtomicOr:
		c.atomic(kind, ev)
	case rpChange:
		c.tells(ev.G, ev.Addr)
		c.hears(ev, ev.Addr)
		c.emit(trace.Change, ev)
	case rpObserve:
		c.hears(ev, ev.Addr)
		c.emit(trace.Observe, ev)
	case rpCommute:
		c.tells(ev.G, ev.Addr)
		ev.Flags = trace.FlagUnseen
		c.emit(trace.Change, ev)
	case rpToken:
		c.tells(ev.G, ev.Addr)
		if t, known := c.tokens[ev.Addr]; known && (t.spent || ev.Size&rpTokenSent == 0 && t.holder != ev.G) {
			c.hears(ev, ev.Addr) // it is no lock
		}
		c.token(ev)
	case rpFork:
		c.tells(ev.G, trace.Goroutines)
		c.starts(ev.G, trace.G(ev.Addr))
		c.commute(ev.G, trace.Goroutines)
		ev.Other, ev.Addr = uint32(ev.Addr), 0
		c.emit(trace.Fork, ev)
	case rpEnd:
		c.tells(ev.G, trace.Goroutines)
		c.tells(ev.G, finalizers)
		c.commute(ev.G, trace.Goroutines)
		ev.Addr = finalizers
		c.emit(trace.HardMerge, ev)
		ev.Addr = 0
		c.emit(trace.End, ev)
		c.touched[id] = 0
		c.forgetSections(ev.G)
	case rpAlloc:
		c.forgetTokens(ev)
		c.emit(trace.Alloc, ev)
	case rpAcquireAll:
		c.toldByAll(ev)
		c.acquireAll(ev)
	case rpToldOfAll:
		c.toldByAll(ev)
		c.toldOfAll(ev)
	case rpTestBegin:
		ev.Other, ev.Addr = uint32(ev.Addr), 0
		c.emit(trace.TestBegin, ev)
	}
}

// unit is for an rpUnit.
func (c *Converter) unit(ev *trace.Event) {
	kind := trace.UnitBegin
	switch ev.Size {
	case rpUnitMarked:
		ev.Flags = trace.FlagMarked
	case rpUnitEnd:
		kind = trace.UnitEnd
	case rpUnitTurn:
		kind = trace.UnitTurn
	}
	ev.Size = 0
	c.emit(kind, ev)
}

func (c *Converter) emit(k trace.Kind, ev *trace.Event) {
	ev.Kind = k
	if !c.polls.Event(ev) {
		c.joiner.Event(ev, false)
	}
}

// ends leaves a section and emits its end.
func (c *Converter) ends(k trace.Kind, ev *trace.Event) {
	own := c.leave(ev, k.Spec().Shared)
	ev.Kind = k
	c.polls.Event(ev)
	c.joiner.Event(ev, !own)
}

// deliver gives out an event of the stream.
func (c *Converter) deliver(ev *trace.Event) {
	c.events++
	if c.check != nil {
		c.check.event(ev)
	}
	c.take(ev)
}

// atomic spells out an atomic operation: it is an access of the variable, a
// synchronization (Go memory model: what is observed is synchronized), and its
// place among the operations on the variable is pinned, unless its result is not used (unseen.go).
func (c *Converter) atomic(kind uint64, ev *trace.Event) {
	size := ev.Size
	reload := kind == rpReload
	if reload {
		kind = rpAtomicLoad
	}
	unseen := c.flagOf(kind, ev.Addr)
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
		c.emit(k, ev)
	}
	if kind != rpAtomicLoad {
		c.tells(ev.G, ev.Addr)
	}
	if kind != rpAtomicStore && unseen == 0 {
		c.hears(ev, ev.Addr)
		if kind != rpAtomicLoad && busy { // the value that it returns may come from the access, which is left out
			c.tells(ev.G, ev.Addr)
		}
	}
	if kind == rpAtomicLoad {
		c.useTokens(ev, looks)
	} else {
		c.useTokens(ev, writes)
	}
	switch kind {
	case rpAtomicLoad:
		step(trace.Observe)
		if !reload {
			step(trace.HardAcquire)
		}
		step(trace.Read)
	case rpAtomicStore:
		step(trace.Change)
		step(trace.Write)
		step(trace.HardRelease)
	default:
		step(trace.Change)
		step(trace.HardAcquire)
		if unseen == 0 { // the last store of the word need not be atomic
			step(trace.Read)
		}
		step(trace.Write)
		step(trace.HardMerge)
	}
}
