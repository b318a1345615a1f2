//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// convert turns one raw record of goroutine id, whose state is s, into events.
func (a *analysis) convert(s *rpG, id uint32, r *rpRec) {
	kind := r.what >> 56
	if a.check != nil {
		a.check.record(id, r, a.next)
	}
	if a.pace.waiting > 0 && kind > rpTicketed && kind != rpAlloc {
		a.arrived(s, r.when&rpStampMask)
	}
	if kind >= rpTicketed {
		a.next++
		if kind == rpFork || kind >= rpMeet {
			// The second ticket named a span of the other goroutine.
			a.next++
		}
	}
	a.touch(id)
	if kind <= rpReleaseAcquire && kind > rpTicketed && a.briefly() {
		a.edge(edges[kind-rpAcquire], trace.G(id), trace.Addr(r.what&rpAddrMask))
		return
	}
	if kind >= rpMeet {
		a.together(kind, trace.G(id), trace.G(r.site), trace.Addr(r.what&rpAddrMask))
		return
	}
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
		a.guarded(ev, false)
		a.emit(trace.Read, ev)
	case rpWrite:
		a.guarded(ev, false)
		a.emit(trace.Write, ev)
	case rpModify:
		a.modify(trace.Operation(r.what>>48), ev)
	case rpOpaque:
		a.guarded(ev, true)
		a.emit(trace.Opaque, ev)
	case rpAcquire:
		a.emit(trace.HardAcquire, ev)
	case rpRelease:
		a.emit(trace.HardRelease, ev)
	case rpReleaseMerge:
		a.emit(trace.HardMerge, ev)
	case rpReleaseAcquire:
		a.emit(trace.HardSwap, ev)
	case rpLock, rpRLock:
		if !a.namer.Symbols.Soft(ev.Stack) && (a.seen || !a.namer.Symbols.Appends(ev.Stack)) {
			ev.Flags |= trace.FlagHard
		}
		if kind == rpLock {
			if ev.Size != 0 {
				flags := ev.Flags
				ev.Flags = 0
				a.guarded(ev, false)
				a.emit(trace.Read, ev)
				ev.Flags, ev.Size = flags, 0
			}
			a.emit(trace.Acquire, ev)
		} else {
			a.emit(trace.RAcquire, ev)
		}
		a.enter(ev)
	case rpUnlock:
		a.leave(ev)
		a.emit(trace.Release, ev)
	case rpRUnlock:
		a.leave(ev)
		a.emit(trace.RRelease, ev)
	case rpTryFail:
		a.emit(trace.TryFail, ev)
	case rpAtomicLoad, rpAtomicStore, rpAtomicRMW, rpAtomicAdd, rpAtomicAnd, rpAtomicOr:
		a.atomic(kind, ev)
	case rpChange:
		a.pin(trace.Change, ev)
	case rpObserve:
		a.pin(trace.Observe, ev)
	case rpCommute:
		ev.Flags = trace.FlagUnseen
		a.pin(trace.Change, ev)
	case rpToken:
		a.token(ev)
	case rpFork:
		a.commute(ev.G, goroutines)
		ev.Other, ev.Addr = uint32(ev.Addr), 0
		a.emit(trace.Fork, ev)
	case rpEnd:
		a.commute(ev.G, goroutines)
		if a.briefly() {
			a.edge(trace.HardMerge, ev.G, finalizers)
		} else {
			ev.Addr = finalizers
			a.emit(trace.HardMerge, ev)
		}
		ev.Addr = 0
		a.emit(trace.End, ev)
		a.touched[id] = 0
		a.forgetGuards(ev.G)
	case rpAlloc:
		a.forgetTokens(ev)
		a.emit(trace.Alloc, ev)
	case rpAcquireAll:
		a.acquireAll(ev)
	case rpToldOfAll:
		a.toldOfAll(ev)
	case rpSparseBegin, rpSparseEnd:
		a.switched(kind, ev, r.when&rpStampMask)
	case rpTestBegin:
		ev.Other, ev.Addr = uint32(ev.Addr), 0
		a.emit(trace.TestBegin, ev)
	}
}

// edges are what the records of hard edges stand for.
var edges = [...]trace.Kind{trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardSwap}

// briefly reports whether nobody but happens-before need know of hard edges.
func (a *analysis) briefly() bool { return a.pace.partial && a.recorder == nil && a.check == nil }

// edge is emit for a hard edge that nobody else need know of.
func (a *analysis) edge(k trace.Kind, g trace.G, object trace.Addr) {
	a.passed(1)
	a.engine.Edge(k, g, object)
}

// passed counts n such edges.
func (a *analysis) passed(n uint64) {
	for range n {
		a.events++
		a.pace.count(0)
	}
}

// together is what two goroutines do at once, in a sparse part: the second of them waited for the first.
func (a *analysis) together(kind uint64, first, second trace.G, object trace.Addr) {
	a.touch(uint32(second))
	if a.briefly() {
		a.passed(a.engine.Together(kind == rpMeet, first, second, object))
		return
	}
	steps := [...]trace.Event{
		{Kind: trace.HardRelease, G: first},
		{Kind: trace.HardSwap, G: second},
		{Kind: trace.HardAcquire, G: first},
	}
	list := steps[:]
	if kind == rpPass {
		steps[0].Kind = trace.HardSwap
		list = steps[:2]
	}
	for i := range list {
		ev := &list[i]
		ev.Addr = object
		a.emit(ev.Kind, ev)
	}
}

// pin emits an event that only matters to predictions.
func (a *analysis) pin(k trace.Kind, ev *trace.Event) {
	if !a.pace.partial {
		a.emit(k, ev)
	}
}

func (a *analysis) emit(k trace.Kind, ev *trace.Event) {
	ev.Kind = k
	a.events++
	if a.check != nil {
		a.check.event(ev)
	}
	wide := uint32(0)
	if k <= trace.Write {
		wide = ev.Size
	}
	a.pace.count(wide)
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
	busy := a.pace.partial && ev.Stack == 0 // (*rpG).busyHere
	if busy && a.briefly() {
		a.atomicEdge(kind, ev)
		return
	}
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
		if k == trace.Observe || k == trace.Change {
			a.pin(k, ev)
			return
		}
		a.emit(k, ev)
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

// atomicEdge is what is left of an atomic operation for happens-before.
func (a *analysis) atomicEdge(kind uint64, ev *trace.Event) {
	switch kind {
	case rpAtomicLoad:
		a.edge(trace.HardAcquire, ev.G, ev.Addr)
	case rpAtomicStore:
		a.edge(trace.HardRelease, ev.G, ev.Addr)
	default:
		a.passed(2)
		a.engine.Update(ev.G, ev.Addr)
	}
}
