//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A value that one goroutine puts into a sync.Pool and another one gets orders the two, though a pool promises nothing of the kind: the second could
// have got a new value. Servers have their requests in pools, so all their handlers would have an order. But a value that is used after it was put back
// races only with the goroutine that gets it. So
//
//	(O1) a value goes to the goroutine that put it as without racepred;
//	(O2) of the times that another goroutine would get it, every second time that goroutine finds the pool empty instead, and the value stays there;
//	     a coin, tossed for each pool in each test, tells whether that is the first time or the second one. A pool of the standard library is found empty each time:
//	     the library does not use a value that it has put back;
//	(O3) a pool is found empty up to rpPoolKeeps times in each test, and then once in rpPoolAgain: values that are expensive to make are shared,
//	     and a pool does not grow by much.
//
// Under -race, Put throws away one value of four, also those that the same goroutine would get again.

// rpPutBy tells which goroutine put a value, by the value's hash: the value, and the low bits of the goroutine's number. Values replace each other.
// A value that is not there goes to whoever asks.
var rpPutBy [1 << rpPutBits]uint64

// rpPoolNext is the time from which on a pool may be found empty, rpPoolKeeps times in advance, by the pool's hash. Its lowest bit is 1 if it is not
// the turn for that.
var rpPoolNext [1 << rpPoolBits]int64

const (
	rpPutBits   = 12
	rpPoolBits  = 8
	rpPoolKeeps = 8
	rpPoolAgain = 50_000_000 // ns
)

// rpPutOf is where rpPutBy has the value at p.
func rpPutOf(p uintptr) *uint64 { return &rpPutBy[rpPointerHash(p)>>(64-rpPutBits)] }

// puts notes that s puts the value at p into a pool.
func (s *rpG) puts(p uintptr) { atomic.Store64(rpPutOf(p), uint64(p)<<16|uint64(s.id&0xffff)) }

// rpPoolsAfresh is called when a test begins.
func rpPoolsAfresh() {
	for i := range rpPoolNext {
		atomic.Storeint64(&rpPoolNext[i], int64(cheaprand()&1))
	}
}

// race_PoolGives reports whether the pool gives its value at p to the goroutine that asks. A value that looks like a new one, whoever gets it, orders
// nothing.
//
//go:linkname race_PoolGives internal/race.PoolGives
func race_PoolGives(pool, p unsafe.Pointer) bool {
	s := rpSelf()
	if s == nil || s.unseen != 0 || !rpValid(uintptr(p)) {
		return true
	}
	by := atomic.Load64(rpPutOf(uintptr(p)))
	if by>>16 != uint64(uintptr(p)) || uint32(by&0xffff) == s.id&0xffff {
		return true
	}
	next := &rpPoolNext[rpPointerHash(uintptr(pool))>>(64-rpPoolBits)]
	at, now := atomic.Loadint64(next), nanotime()
	if at&1 != 0 && !rpPoolOfStandard(getfp()) {
		atomic.Casint64(next, at, at&^1)
		return true
	}
	return at > now || !atomic.Casint64(next, at, (max(at, now-rpPoolKeeps*rpPoolAgain)+rpPoolAgain)|1)
}

// rpPoolOfStandard reports whether the standard library asks the pool. The frame at fp is called by those of package sync.
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
