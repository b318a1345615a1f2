package predict

import "github.com/racepred/racepred/internal/trace"

// Again says of pairs of accesses, by their positions, when to look at one another time: at the first few, and then after ever more others. It forgets a pair when
// another one needs its place. The zero Again is ready to use.
type Again struct {
	at [1 << againBits]againPair
}

type againPair struct {
	key  uint64
	skip uint32 // how many are still to be passed over
	n    uint32 // how many were looked at
}

const (
	againBits = 10
	againAll  = 3  // so many are looked at one after the other
	againMost = 16 // the logarithm of how many are passed over at most
)

// Due reports whether to look at a pair with an access at an earlier position and one that is taken in.
func (x *Again) Due(site trace.Site, stack trace.Stack, ev *trace.Event) bool {
	a, b := where(site, stack), where(ev.Site, ev.Stack)
	key := min(a, b)<<32 | max(a, b)
	p := &x.at[key*0x9E3779B97F4A7C15>>(64-againBits)]
	if p.key != key {
		*p = againPair{key: key}
	}
	if p.skip > 0 {
		p.skip--
		return false
	}
	if p.n++; p.n > againAll {
		p.skip = 1<<min(p.n, againMost) - 1
	}
	return true
}

// where is a position without what is done there.
func where(site trace.Site, stack trace.Stack) uint64 {
	if site != 0 {
		return uint64(site)
	}
	return uint64(stack) | 1<<31
}
