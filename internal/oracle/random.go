package oracle

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Features says what random traces may have besides plain accesses, nested locks and goroutines
// that just run.
type Features struct {
	Fork, RW, Hard, Pins, Opaque, Sizes, TryFail, HardSections, HandOver, NonLIFO, Atomic, Alloc, Unseen bool
	UnseenSections                                                                                       bool
	Updates                                                                                              bool // plain unseen writes, as of x++ under a lock
	Mixed                                                                                                bool // of different sizes, too
	Wide                                                                                                 bool // accesses of more than a page of the predictors' tables, 4 KiB
	Locks                                                                                                bool // mostly critical sections, short ones
	Lists                                                                                                bool // appends to lists, and what else is done to them
}

// All has every feature but Wide, Mixed and Lists.
var All = Features{
	Fork: true, RW: true, Hard: true, Pins: true, Opaque: true, Sizes: true, TryFail: true,
	HardSections: true, HandOver: true, NonLIFO: true, Atomic: true, Alloc: true, Unseen: true, UnseenSections: true, Updates: true,
}

// hardKinds are the kinds of hard edges. Those that only take are in it twice, so that given
// releases are taken now and then.
var hardKinds = func() (list []trace.Kind) {
	for k := range trace.Specs {
		switch kind := trace.Kind(k); {
		case kind.Spec().Takes && !kind.Spec().Gives:
			list = append(list, kind, kind)
		case kind.Spec().Takes || kind.Spec().Gives:
			list = append(list, kind)
		}
	}
	return list
}()

type held struct {
	lock   trace.Addr
	shared bool
	unseen trace.Flags
}

type generator struct {
	rng   *rand.Rand
	f     Features
	evs   []trace.Event
	held  map[trace.G][]held
	ready []trace.G // may run
	sleep []trace.G // wait for their fork
	ended []trace.G
}

// Random is a well-formed trace of up to n events of 2 to 4 goroutines.
func Random(rng *rand.Rand, n int, f Features) []trace.Event {
	g := &generator{rng: rng, f: f, held: map[trace.G][]held{}}
	for id := trace.G(1); id <= trace.G(2+rng.IntN(3)); id++ {
		if id > 1 && f.Fork && rng.IntN(3) > 0 {
			g.sleep = append(g.sleep, id)
		} else {
			g.ready = append(g.ready, id)
		}
	}
	at := g.ready[0]
	for range 4 * n {
		if len(g.evs) >= n || len(g.ready) == 0 {
			break
		}
		if rng.IntN(3) == 0 {
			at = g.ready[rng.IntN(len(g.ready))]
		}
		g.step(at)
		if len(g.ready) > 0 && rng.IntN(8) == 0 {
			at = g.ready[rng.IntN(len(g.ready))]
		}
	}
	for i := range g.evs {
		g.evs[i].Site = trace.Site(i + 1)
	}
	return g.evs
}

func (g *generator) put(e trace.Event) { g.evs = append(g.evs, e) }

// step lets goroutine id do one random thing, if the choice is possible.
func (g *generator) step(id trace.G) {
	r, mine := g.rng, g.held[id]
	for _, e := range g.ended {
		if e == id {
			return
		}
	}
	object := trace.Addr(0x100 + 8*r.IntN(2))
	if g.f.Unseen && r.IntN(24) == 0 {
		g.counter(id)
		return
	}
	if g.f.Lists && r.IntN(6) == 0 {
		g.list(id)
		return
	}
	op := r.IntN(26)
	if g.f.Locks && op < 9 && r.IntN(2) == 0 {
		op = 9 + r.IntN(8)
	}
	switch {
	case op < 9:
		g.access(id)
	case op < 13:
		g.acquire(id)
	case op < 17 && len(mine) > 0:
		k := len(mine) - 1
		if g.f.NonLIFO && r.IntN(4) == 0 {
			k = r.IntN(len(mine))
		}
		g.release(id, id, k)
	case op == 17 && g.f.HandOver && r.IntN(2) == 0:
		for _, other := range slices.Sorted(maps.Keys(g.held)) {
			if list := g.held[other]; other != id && len(list) > 0 && len(g.held) <= 2 {
				if !list[len(list)-1].shared {
					g.release(id, other, len(list)-1)
				}
				return
			}
		}
	case op == 18 && len(g.sleep) > 0:
		k := r.IntN(len(g.sleep))
		g.put(trace.Event{Kind: trace.Fork, G: id, Other: uint32(g.sleep[k])})
		g.ready = append(g.ready, g.sleep[k])
		g.sleep = append(g.sleep[:k], g.sleep[k+1:]...)
	case op == 19 && g.f.Fork && len(g.ready) > 1 && r.IntN(2) == 0:
		k := r.IntN(len(g.ready))
		if o := g.ready[k]; o != id && len(g.held[o]) == 0 {
			g.put(trace.Event{Kind: trace.Join, G: id, Other: uint32(o)})
			g.ready = append(g.ready[:k], g.ready[k+1:]...)
			g.ended = append(g.ended, o)
		}
	case op == 20 && g.f.Hard:
		kind := hardKinds[r.IntN(len(hardKinds))]
		g.put(trace.Event{Kind: kind, G: id, Addr: object, Flags: g.unseen(kind.Spec().Takes)})
	case op == 21 && g.f.Pins:
		kind := []trace.Kind{trace.Observe, trace.Change}[r.IntN(2)]
		g.put(trace.Event{Kind: kind, G: id, Addr: object, Flags: g.unseen(kind == trace.Change)})
	case op == 22 && g.f.Opaque:
		g.put(trace.Event{Kind: trace.Opaque, G: id})
	case op == 23 && g.f.TryFail:
		l, seen := g.lock(), false
		for other, list := range g.held {
			for _, h := range list {
				seen = seen || other != id && h.lock == l
			}
		}
		if seen || r.IntN(8) == 0 { // sometimes by a holder that the trace does not show
			g.put(trace.Event{Kind: trace.TryFail, G: id, Addr: l})
		}
	case op == 24 && g.f.Alloc && r.IntN(2) == 0:
		e := trace.Event{Kind: trace.Alloc, G: id, Addr: trace.Addr(0x1000 + 0x40*r.IntN(3)), Size: 8}
		if g.f.Wide {
			switch r.IntN(6) {
			case 0, 1:
				e.Addr, e.Size = 0xff8, 4096+16
			case 2:
				e.Addr, e.Size = e.Addr+4, 4
			case 3:
				e.Addr, e.Size = e.Addr-4, 2048+4
			}
		}
		g.put(e)
	}
}

func (g *generator) access(id trace.G) {
	r := g.rng
	e := trace.Event{Kind: trace.Read, G: id, Addr: trace.Addr(0x1000 + 0x40*r.IntN(3)), Size: 8}
	if r.IntN(2) == 0 {
		e.Kind = trace.Write
	}
	if g.f.Sizes && r.IntN(3) == 0 {
		e.Size = []uint32{1, 2, 4, 4, 16}[r.IntN(5)]
		e.Addr += trace.Addr(4 * r.IntN(3))
	}
	if g.f.Atomic && r.IntN(6) == 0 {
		e.Flags = trace.FlagAtomic | g.unseen(e.Kind == trace.Write)
	}
	if g.f.Updates && e.Flags == 0 && e.Kind == trace.Write && (e.Size == 8 && e.Addr%8 == 0 || g.f.Mixed && e.Size < 8) && r.IntN(2) == 0 {
		e.Flags = trace.FlagUnseen
	}
	if g.f.Wide && r.IntN(3) == 0 {
		e.Addr = trace.Addr(0xff8 + 8*r.IntN(3))
		e.Size = uint32(4096 + 8*r.IntN(4) + 4096*r.IntN(2))
	}
	g.put(e)
}

// unseen is FlagUnseen every other time, when the event may have it.
func (g *generator) unseen(may bool) trace.Flags {
	if may && g.f.Unseen && g.rng.IntN(2) == 0 {
		return trace.FlagUnseen
	}
	return 0
}

// counter lets goroutine id do an operation on a counter as a recorder has it: addition whose
// result is thrown away, addition, load.
func (g *generator) counter(id trace.G) {
	n := trace.Addr(0x2000)
	op := func(k trace.Kind, flags trace.Flags) {
		e := trace.Event{Kind: k, G: id, Addr: n, Flags: flags}
		if k.Spec().Access {
			e.Size, e.Flags = 8, flags|trace.FlagAtomic
		}
		g.put(e)
	}
	switch r := g.rng.IntN(5); {
	case r < 4:
		flags := trace.FlagUnseen
		if r == 3 {
			flags = 0
		}
		op(trace.Change, flags)
		op(trace.HardAcquire, flags)
		op(trace.Write, flags)
		op(trace.HardMerge, 0)
	default:
		op(trace.Observe, 0)
		op(trace.HardAcquire, 0)
		op(trace.Read, 0)
	}
}

// list lets goroutine id use one of two lists, or one of the elements that they may share.
func (g *generator) list(id trace.G) {
	r := g.rng
	header := trace.Addr(0x3000 + 0x40*r.IntN(3)/2)
	element := func() trace.Addr { return trace.Addr(0x4000 + 8*r.IntN(4)) }
	put := func(k trace.Kind, flags trace.Flags, a trace.Addr, size uint32) {
		g.put(trace.Event{Kind: k, G: id, Addr: a, Size: size, Flags: flags})
	}
	switch k := r.IntN(12); {
	case k == 0:
		put(trace.Write, 0, header, 16)
	case k == 1:
		put(trace.Read, 0, header, 16)
	case k == 2:
		put(trace.Read, 0, header+8, 8)
	case k == 3:
		put(trace.Write, 0, element(), 8)
	case k == 4:
		put(trace.Read, 0, element(), 8)
	default:
		if r.IntN(20) > 0 || !g.f.Mixed {
			put(trace.Write, trace.FlagAppend|trace.FlagUnseen, header, 16)
		}
		if r.IntN(4) == 0 {
			put(trace.Read, trace.FlagAppend, element(), uint32(8*(1+r.IntN(2))))
		}
		if r.IntN(3) > 0 {
			put(trace.Write, trace.FlagAppend, element(), 8)
		}
	}
}

func (g *generator) lock() trace.Addr { return trace.Addr(0x10 + 8*g.rng.IntN(3)) }

func (g *generator) acquire(id trace.G) {
	l, shared := g.lock(), g.f.RW && g.rng.IntN(2) == 0
	for _, list := range g.held {
		for _, h := range list {
			if h.lock == l && !(shared && h.shared) {
				return
			}
		}
	}
	if len(g.held[id]) >= 3 {
		return
	}
	for _, h := range g.held[id] {
		if h.lock == l {
			return
		}
	}
	e := trace.Event{Kind: trace.Acquire, G: id, Addr: l}
	if shared {
		e.Kind = trace.RAcquire
	}
	if g.f.HardSections && g.rng.IntN(8) == 0 {
		e.Flags = trace.FlagHard
	} else if g.f.UnseenSections && g.rng.IntN(6) == 0 {
		e.Flags = trace.FlagUnseen
	}
	g.put(e)
	g.held[id] = append(g.held[id], held{l, shared, e.Flags & trace.FlagUnseen})
}

// release lets goroutine id release owner's k-th held lock.
func (g *generator) release(id, owner trace.G, k int) {
	list := g.held[owner]
	e := trace.Event{Kind: trace.Release, G: id, Addr: list[k].lock, Flags: list[k].unseen}
	if list[k].shared {
		e.Kind = trace.RRelease
	}
	g.put(e)
	if g.held[owner] = append(list[:k:k], list[k+1:]...); len(g.held[owner]) == 0 {
		delete(g.held, owner)
	}
}
