package predict

import "github.com/racepred/racepred/internal/trace"

// Again chooses the occurrences of a pair of positions that are worth a look: the first few, and
// then ever fewer. It forgets a pair when another pair needs its place. The zero Again is ready to
// use.
type Again struct {
	at [1 << againBits]againPair
}

type againPair struct {
	key  uint64
	skip uint32 // occurrences that are still to be passed over
	n    uint32 // occurrences that were worth a look
}

const (
	againBits = 10
	againAll  = 4  // the first occurrences, all of which are worth a look
	againMost = 16 // the logarithm of how many occurrences are passed over at most
)

// Due reports whether the pair of ev and an earlier access, which was at site or stack, is worth a
// look.
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
	if p.n++; p.n >= againAll {
		p.skip = 1<<min(p.n, againMost) - 1
	}
	return true
}

// where is a position without the operation.
func where(site trace.Site, stack trace.Stack) uint64 {
	if site != 0 {
		return uint64(site)
	}
	return uint64(stack) | 1<<31
}
