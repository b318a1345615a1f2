//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A value that one goroutine puts into a sync.Pool and another one gets orders the two, though a
// pool promises nothing of the kind: the second could have got a new value. Servers have their
// requests in pools, so all their handlers would have an order. But a value that is used after it
// was put back races only with the goroutine that gets it. So
//
//	(O1) a value goes to the goroutine that put it as without racepred;
//	(O2) so it goes to one whose creator had put it before: that adds no order;
//	(O3) of the times that any other goroutine would get it, that goroutine finds the pool empty
//	     instead, and the value stays there. How often is tossed for each test: in half of the tests
//	     each time, in the others every second time, from the first or from the second one on. A
//	     test is to be without any order by pools often, and a call of a logger may use three of
//	     them. A test with more than rpPoolsAlike pools has each further one toss for itself, as for
//	     a quarter of the tests each. A pool of the standard library is found empty each time: the
//	     library does not use a value that it has put back;
//	(O4) a pool is found empty up to rpPoolKeeps times in each test, and then once in rpPoolAgain:
//	     values that are expensive to make are shared, and a pool does not grow by much.
//
// Under -race, Put throws away one value of four, also those that the same goroutine would get
// again.

// rpPutBy tells which goroutine put a value, by the value's hash: the value, and the low bits of
// the goroutine's number. Values replace each other. A value that is not there goes to whoever
// asks. rpPutIn has the span.
var (
	rpPutBy [1 << rpPutBits]uint64
	rpPutIn [1 << rpPutBits]uint64
)

// rpPoolNext is the time from which on a pool may be found empty, rpPoolKeeps times in advance, by
// the pool's hash. Its lowest bits are rpPoolGives and rpPoolEmpty. Before the pool's first turn in
// a test it is rpPoolNew.
var rpPoolNext [1 << rpPoolBits]int64

// rpPools is what was tossed for a test.
var rpPools struct {
	bits int64  // of rpPoolNext, for its first pools
	seen uint32 // how many pools had a turn
}

const (
	rpPutBits   = 12
	rpPoolBits  = 8
	rpPoolKeeps = 8
	rpPoolAgain = 50_000_000 // ns

	rpPoolsAlike = 4
	rpPoolGives  = int64(1) // the next turn is one to give the value
	rpPoolEmpty  = int64(2) // no turn is
	rpPoolNew    = int64(-1)
)

// rpPutAt is where rpPutBy has the value at p.
func rpPutAt(p uintptr) uint64 { return rpPointerHash(p) >> (64 - rpPutBits) }

// puts notes that s puts the value at p into a pool.
func (s *rpG) puts(p uintptr) {
	at := rpPutAt(p)
	atomic.Store64(&rpPutIn[at], s.span)
	atomic.Store64(&rpPutBy[at], uint64(p)<<16|uint64(s.id&0xffff))
}

// rpPoolsAfresh is called when a test begins.
func rpPoolsAfresh() {
	atomic.Storeint64(&rpPools.bits, rpPoolToss())
	atomic.Store(&rpPools.seen, 0)
	for i := range rpPoolNext {
		atomic.Storeint64(&rpPoolNext[i], rpPoolNew)
	}
}

// rpPoolToss are the bits of rpPoolNext for a test.
func rpPoolToss() int64 { return [...]int64{rpPoolEmpty, rpPoolEmpty, 0, rpPoolGives}[cheaprand()%4] }

// rpPoolTurn is rpPoolNext for a pool that has its first turn in a test. The frame at fp is called
// by those of package sync.
func rpPoolTurn(fp uintptr) int64 {
	switch {
	case rpPoolOfStandard(fp):
		return rpPoolEmpty
	case atomic.Xadd(&rpPools.seen, 1) <= rpPoolsAlike:
		return atomic.Loadint64(&rpPools.bits)
	}
	return int64(cheaprand()) & rpPoolGives
}

// race_PoolGives reports whether the pool gives its value at p to the goroutine that asks. A value
// that looks like a new one, whoever gets it, orders nothing.
//
//go:linkname race_PoolGives internal/race.PoolGives
func race_PoolGives(pool, p unsafe.Pointer) bool {
	s := rpSelf()
	if s == nil || s.unseen != 0 || !rpValid(uintptr(p)) {
		return true
	}
	put := rpPutAt(uintptr(p))
	by := atomic.Load64(&rpPutBy[put])
	switch id := uint32(by & 0xffff); {
	case by>>16 != uint64(uintptr(p)) || id == s.id&0xffff:
		return true
	case id == s.creator&0xffff && atomic.Load64(&rpPutIn[put]) < s.born: // (O2)
		return true
	}
	next := &rpPoolNext[rpPointerHash(uintptr(pool))>>(64-rpPoolBits)]
	at := atomic.Loadint64(next)
	if at == rpPoolNew {
		atomic.Casint64(next, at, rpPoolTurn(getfp()))
		at = atomic.Loadint64(next)
	}
	if at&rpPoolGives != 0 {
		atomic.Casint64(next, at, at&^rpPoolGives)
		return true
	}
	now := nanotime()
	if at > now {
		return true
	}
	bits := rpPoolGives
	if at&rpPoolEmpty != 0 {
		bits = rpPoolEmpty
	}
	return !atomic.Casint64(next, at, (max(at, now-rpPoolKeeps*rpPoolAgain)+rpPoolAgain)&^3|bits)
}

// rpPoolOfStandard reports whether the standard library asks the pool. The frame at fp is called by
// those of package sync.
func rpPoolOfStandard(fp uintptr) bool {
	var pcs [4]uint32
	n := rpWalk(getg(), fp, pcs[:])
	for _, at := range pcs[:n] {
		if path := funcpkgpath(findfunc(rpText + uintptr(at))); path != "sync" {
			return rpOfStandard(path)
		}
	}
	return false
}
