//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Records of channels, beyond the edges that the toolchain annotates, which predictions need. All
// functions but RacepredChanLen are called with the channel locked.

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
	rpPoll()
	stack := rpStackHere(getg(), 0)
	lock(&c.lock)
	n := int(c.qcount)
	s.sync(rpObserve, uintptr(ch), stack)
	unlock(&c.lock)
	return n
}

// The stack of a send or a receive is taken once, when the operation begins: later records of it
// may be made by the other side, while this goroutine is parked. A select and a close begin without
// a stack.

// rpChanSends begins a send, which reads c: closing it is a write. The read's place is the stack of
// the send (Q2). Busy sends without it do not end epochs, so what they tell is mostly known.
func rpChanSends(c *hchan, callerpc uintptr) {
	s := rpChanBegins()
	p := uintptr(c.raceaddr())
	if s == nil {
		rpUser(rpRead, unsafe.Pointer(p), 1, callerpc)
		return
	}
	if !s.busyPlace(rpRead, p, 1, uintptr(s.op)*rpStackPlace) && !s.leaveOut(rpRead, p, 1, 0) {
		if !rpFilterOff {
			s.repeats(rpRead, p, 1)
		}
		s.room()
		s.plain(rpRead, 0, p, 1, 0, s.op)
		s.countHit(0, 1)
	}
	rpPoll()
}

// rpStackPlace spreads the numbers of stacks over the places.
const rpStackPlace = 0x9E3779B1

// rpChanReceives begins a receive.
func rpChanReceives() { rpChanBegins() }

// rpChanBegins takes the stack of the calling function's caller, and returns the goroutine's state;
// nil if the goroutine is not recorded.
//
//go:noinline
func rpChanBegins() *rpG {
	gp := getg()
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil {
		return nil
	}
	s.op = 0
	if gp != gp.m.curg || s.ignore != 0 {
		return nil
	}
	if s.watched != 0 { // while it is parked, others record for it
		s.outlived()
	}
	if s.nleft != 0 { // (L5)
		s.recordLeft()
	}
	s.op = rpStackHere(gp, 1)
	s.usesChan()
	return s
}

// rpChanBeginsElse begins an operation whose stack is taken when it is needed.
func rpChanBeginsElse() {
	if s := (*rpG)(unsafe.Pointer(getg().racectx)); s != nil {
		if s.watched != 0 {
			s.outlived()
		}
		if s.nleft != 0 { // (L5)
			s.recordLeft()
		}
		s.op = 0
		s.usesChan()
	}
}

// opStack is the stack of the channel operation that gp, whose state is s, is in.
func (s *rpG) opStack(gp *g) uint32 {
	if s.op != 0 {
		return s.op
	}
	return rpStackOf(gp)
}

// rpChanChange and rpChanObserve pin the order of a channel's operations. The channel is locked.
func rpChanChange(gp *g, c *hchan) {
	s := rpSyncOf(gp)
	if s == nil || !rpValid(uintptr(unsafe.Pointer(c))) {
		return
	}
	rpMarkSync(uintptr(unsafe.Pointer(c)))
	s.sync(rpChange, uintptr(unsafe.Pointer(c)), s.opStack(gp))
}

func rpChanObserve(c *hchan) {
	s := rpSyncSelf()
	if s == nil || !rpValid(uintptr(unsafe.Pointer(c))) {
		return
	}
	rpMarkSync(uintptr(unsafe.Pointer(c)))
	s.sync(rpObserve, uintptr(unsafe.Pointer(c)), s.opStack(getg()))
}

// rpRendezvous records the rendezvous of the running goroutine with sg's at an unbuffered channel,
// with tickets that are taken together, and reports whether it has.
func rpRendezvous(c *hchan, sg *sudog) bool {
	gp := getg()
	a, b := rpSyncOf(gp), rpSyncOf(sg.g)
	lock, buffer := uintptr(unsafe.Pointer(c)), uintptr(chanbuf(c, 0))
	if a == nil || b == nil || !rpValid(lock) {
		return false
	}
	if !a.roomFor(3) || !b.roomFor(2) {
		return false
	}
	rpMarkSync(lock)
	rpMarkSync(buffer)
	stackA, stackB := a.opStack(gp), b.opStack(sg.g)
	t := atomic.Xadd64(&rpTickets.n, 5) - 5
	a.at(t, rpChange, lock, stackA)
	b.at(t+1, rpChange, lock, stackB)
	a.at(t+2, rpRelease, buffer, 0)
	b.at(t+3, rpReleaseAcquire, buffer, 0) // it drops a's release, which a's acquire does not need
	a.at(t+4, rpAcquire, buffer, 0)
	a.newSpan(t + 5)
	b.newSpan(t + 4)
	return true
}

// rpChanPass records that the running goroutine, or sg's that waited for it, sends or receives a
// buffer's element at qp, and reports whether it has.
func rpChanPass(c *hchan, qp unsafe.Pointer, sg *sudog) bool {
	gp := getg()
	if sg != nil {
		gp = sg.g
	}
	s := rpSyncOf(gp)
	lock := uintptr(unsafe.Pointer(c))
	if c.elemsize == 0 || s == nil || !s.roomFor(2) || !rpValid(lock) {
		return false
	}
	rpMarkSync(lock)
	rpMarkSync(uintptr(qp))
	stack := s.opStack(gp)
	t := atomic.Xadd64(&rpTickets.n, 2) - 2
	s.at(t, rpChange, lock, stack)
	s.at(t+1, rpReleaseAcquire, uintptr(qp), 0)
	s.newSpan(t + 2)
	return true
}

// rpSelObserve observes every channel of a select that takes its default case.
func rpSelObserve(scases []scase, lockorder []uint16) {
	for _, i := range lockorder {
		rpChanObserve(scases[i].c)
	}
}

// rpTokenOf says for rpChanToken that there is a send, and whether it could not have done without
// c: it is no case of a select.
func rpTokenOf(waits bool) uint64 {
	if waits {
		return rpTokenSent | rpTokenWaits
	}
	return rpTokenSent
}

// rpChanToken records the whole of a send or a receive if c has room for one element, without
// pointers, and reports whether it has: such a channel may be a lock, which the drain finds out
// (internal/records/token.go). The operation is that of sg's goroutine if it waited for it,
// otherwise that of the running one. token is 0 for a receive, and else rpTokenSent, with
// rpTokenWaits or not.
func rpChanToken(c *hchan, sg *sudog, token uint64) bool {
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
	size := uint64(buffer-lock)<<rpTokenBits | token
	if c.elemsize == 0 {
		size |= rpTokenEmpty
	}
	if token != 0 {
		s.hold(lock)
	} else {
		s.letGo(lock)
	}
	rpMarkSync(lock)
	rpMarkSync(buffer)
	stack := s.opStack(gp)
	s.room()
	s.ticketed(rpToken, lock, size, stack)
	if token != 0 {
		s.tookLock(gp)
	}
	return true
}
