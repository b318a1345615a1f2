//go:build racepred_seam

package runtime

import "unsafe"

// What predictions need of channels beyond the edges that the toolchain annotates. All but RacepredChanLen is called with the channel locked.

// RacepredChanLen is len of a channel, recorded as an observation of it.
func RacepredChanLen(ch unsafe.Pointer) int {
	c := (*hchan)(ch)
	if c == nil {
		return 0
	}
	if c.timer != nil {
		return chanlen(c)
	}
	s := rpSyncSelf()
	if s == nil {
		return int(c.qcount)
	}
	stack := rpStackHere(getg())
	lock(&c.lock)
	n := int(c.qcount)
	s.sync(rpObserve, uintptr(ch), stack)
	unlock(&c.lock)
	return n
}

// rpChanChange and rpChanObserve pin the order of a channel's operations. The channel is locked.
func rpChanChange(gp *g, c *hchan) {
	s := rpSyncOf(gp)
	if s == nil || !rpValid(uintptr(unsafe.Pointer(c))) || rpSparse {
		return
	}
	rpMarkSync(uintptr(unsafe.Pointer(c)))
	s.sync(rpChange, uintptr(unsafe.Pointer(c)), rpStackOf(gp))
}

func rpChanObserve(c *hchan) {
	s := rpSyncSelf()
	if s == nil || !rpValid(uintptr(unsafe.Pointer(c))) || rpSparse {
		return
	}
	rpMarkSync(uintptr(unsafe.Pointer(c)))
	s.sync(rpObserve, uintptr(unsafe.Pointer(c)), rpStackHere(getg()))
}

// rpSelObserve observes every channel of a select that takes its default case.
func rpSelObserve(scases []scase, lockorder []uint16) {
	for _, i := range lockorder {
		rpChanObserve(scases[i].c)
	}
}

// rpChanToken records the whole of a send or a receive if c has room for one element, without pointers, and reports whether it has: such a
// channel may be a lock, which the drain finds out (rt/process/token.go). It is recorded in sparse parts as well, as locks are. Whoever waited
// for it is sg's goroutine, otherwise it is the one that runs.
func rpChanToken(c *hchan, sg *sudog, sends bool) bool {
	if c.dataqsiz != 1 {
		return false
	}
	lock, buffer := uintptr(unsafe.Pointer(c)), uintptr(chanbuf(c, 0))
	if buffer-lock > hchanSize {
		return false // it is another object
	}
	gp := getg()
	if sg != nil {
		gp = sg.g
	}
	s := rpSyncOf(gp)
	if s == nil || !rpValid(lock) {
		return true
	}
	size := uint64(buffer-lock) << rpTokenBits
	if c.elemsize == 0 {
		size |= rpTokenEmpty
	}
	if sends {
		size |= rpTokenSent
		s.hold(lock)
	} else {
		s.letGo(lock)
	}
	rpMarkSync(lock)
	rpMarkSync(buffer)
	stack := uint32(0)
	if !rpSparse {
		stack = rpStackOf(gp)
	}
	s.room()
	s.ticketed(rpToken, lock, size, stack)
	return true
}
