package predict

import "github.com/racepred/racepred/internal/trace"

// position is where an event is in the source, and its operation: what the reader of a report knows
// an event by.
type position uint64

func positionOf(ev *trace.Event) position {
	p := position(ev.Site) << 1
	if ev.Site == 0 {
		p = position(ev.Stack)<<1 | 1
	}
	return p<<16 | position(ev.Kind)<<8 | position(ev.Flags&trace.FlagAtomic)
}

type pair struct{ a, b position }

// Pairs counts how often each unordered pair of positions came up. The zero Pairs is ready to use.
type Pairs struct {
	n map[pair]uint32
}

// Count is how often the pair came up, this time included.
func (p *Pairs) Count(a, b *trace.Event) uint32 {
	k := pair{positionOf(a), positionOf(b)}
	if k.b < k.a {
		k.a, k.b = k.b, k.a
	}
	if p.n == nil {
		p.n = map[pair]uint32{}
	}
	p.n[k]++
	return p.n[k]
}

// Instance reports whether the n-th occurrence of a pair becomes a candidate. One occurrence is not
// enough, as it may have no witness. So the first four do, then one at each doubling, sixteen at
// most.
func Instance(n uint32) bool {
	return n <= 4 || n&(n-1) == 0 && n <= 1<<14
}
