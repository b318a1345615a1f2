//go:build racepred_seam

// The recorder: the code that runs at every recorded event, in the goroutine of the event.
//
// Rules, each of which keeps the trace true:
//
//	(R1) Between taking a ticket and publishing its record nothing may be
//	     preempted: functions of package runtime are never preempted
//	     asynchronously, and the code between the two calls nothing; otherwise the drain would
//	     wait for a goroutine that does not run.
//	(R2) Room for the record is made before the ticket is taken, for the same reason.
//	(R3) Nothing here allocates from the Go heap or takes a lock that is held
//	     while Go code runs: hooks are called with runtime locks held.
//	(R4) Acquire-like events are recorded after the operation, release-like
//	     ones before it; atomic operations are recorded inside of a lock of
//	     their own, so that the trace has them in the order they happened in.
//	(R5) A goroutine's record is written by one thread at a time: by itself,
//	     or by the thread that is about to wake it.

package runtime

import (
	"internal/cpu"
	"internal/runtime/atomic"
	"unsafe"
)

// rpTickets are the tickets handed out. All goroutines change them when they synchronize, so they
// have a cache line of their own.
var rpTickets struct {
	_ cpu.CacheLinePad
	n uint64
	_ cpu.CacheLinePad
}

var (
	rpGLock  mutex
	rpChunks *rpChunk // free ones
	rpFreeGs *rpG

	rpOutstanding int64  // chunks in use
	rpDrainAt     int64  = 1 << 62
	rpWide        int64  // what accesses of more than rpFastSize bytes cost, in records
	rpWideDrainAt int64  = 1 << 62
	rpGiveUpAt    int64  = 1 << 62 // how many chunks may be in use beside the one that each goroutine has
	rpLostAt      uint64           // recording was given up: tickets from this one on are incomplete; 0 is never
	rpDrainHook   func()
	rpErrorsHook  func() int
	rpMain        *rpG
	rpFiltered    uint64 // by goroutines that were reaped

	rpDataStart, rpDataEnd uintptr
)

// rpSelf returns the state of the running goroutine, or nil if it is not recorded now.
//
//go:nosplit
func rpSelf() *rpG {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || s.ignore != 0 {
		return nil
	}
	return s
}

// rpLeave ends the recording of the running goroutine.
func rpLeave() {
	if s := (*rpG)(unsafe.Pointer(getg().racectx)); s != nil {
		s.ignore++
	}
}

// rpSyncSelf is rpSelf for synchronization events, which race.Disable suppresses.
//
//go:nosplit
func rpSyncSelf() *rpG { return rpSyncOf(getg()) }

// rpSyncOf is rpSyncSelf for gp, which runs here or waits for the goroutine that does.
//
//go:nosplit
func rpSyncOf(gp *g) *rpG {
	if getg().raceignore != 0 {
		return nil
	}
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || s.ignore != 0 {
		return nil
	}
	return s
}

// plain records an event that takes no ticket.
//
//go:nosplit
func (s *rpG) plain(kind, flags uint64, addr uintptr, size uint64, site, stack uint32) {
	s.stamped(atomic.Load64(&rpTickets.n)&rpStampMask, kind, flags, addr, size, site, stack)
}

// stamped is plain with a stamp that was read before.
//
//go:nosplit
func (s *rpG) stamped(stamp, kind, flags uint64, addr uintptr, size uint64, site, stack uint32) {
	c := s.w
	n := c.n
	r := &c.recs[n]
	r.what = kind<<56 | flags<<48 | uint64(addr)&rpAddrMask
	r.site = site
	r.stack = stack
	r.when = size<<48 | stamp
	c.publish(n + 1)
}

// ticket records an event at a place of its own in the run, and returns that. The caller made room
// (R2).
//
//go:nosplit
func (s *rpG) ticket(kind uint64, addr uintptr, size uint64, stack uint32) uint64 {
	c := s.w
	n := c.n
	r := &c.recs[n]
	r.what = kind<<56 | uint64(addr)&rpAddrMask
	r.site = 0
	r.stack = stack
	t := atomic.Xadd64(&rpTickets.n, 1) - 1
	r.when = size<<48 | t&rpStampMask
	c.publish(n + 1)
	return t
}

// roomFor reports whether the current chunk takes n more records.
//
//go:nosplit
func (s *rpG) roomFor(n uint32) bool { return s.w != nil && s.w.n+n <= rpChunkLen }

// at records an event at the place t, one of several that were taken together. The span goes on.
//
//go:nosplit
func (s *rpG) at(t, kind uint64, addr uintptr, stack uint32) {
	c := s.w
	n := c.n
	r := &c.recs[n]
	r.what = kind<<56 | uint64(s.unseen)*rpUnseen | uint64(addr)&rpAddrMask
	r.site = 0
	r.stack = stack
	r.when = t & rpStampMask
	c.publish(n + 1)
}

// ticketed records a synchronization event and starts a new span.
//
//go:nosplit
func (s *rpG) ticketed(kind uint64, addr uintptr, size uint64, stack uint32) {
	c := s.w
	n := c.n
	r := &c.recs[n]
	r.what = kind<<56 | uint64(s.unseen)*rpUnseen | uint64(addr) // which is below 1<<48, as tickets are
	r.site = 0
	r.stack = stack
	t := atomic.Xadd64(&rpTickets.n, 1) - 1
	r.when = size<<48 | t
	c.publish(n + 1)
	s.newSpan(t + 1)
}

func (s *rpG) sync(kind uint64, addr uintptr, stack uint32) {
	s.room()
	s.ticketed(kind, addr, 0, stack)
}

// rpMarkSync leaves a trace of a synchronization object in the shadow, so that
// its memory's next life is announced.
//
//go:nosplit
func rpMarkSync(addr uintptr) {
	if i := addr - rpHeapLo; i < rpHeapSize {
		if rpArenas[i>>rpArenaBits] == 1 {
			rpMark(addr)
		}
	} else if sh := rpShadow(addr); sh != nil && sh[0] == 0 {
		atomic.Cas64(&sh[0], 0, rpSyncMark)
	}
}

// rpLocal reports whether p is on the running goroutine's own stack, which
// no other goroutine can reach. It must be asked before anything that may grow the
// stack: p is only a number, and would then point to where the stack was.
//
//go:nosplit
func rpLocal(p uintptr) bool {
	gp := getg()
	return p-gp.stack.lo < gp.stack.hi-gp.stack.lo
}

// rpPoll drains if much has been recorded. It is called wherever Go code records something and
// holds no lock of package runtime, at the beginning of sends, selects, and receives that do not
// wait, too: in a program that only synchronizes, or looks at a channel again and again, nothing
// else would drain. It is not called at receives that wait: a goroutine that starts a collection of
// garbage waits like that for its workers, and the engine, which allocates, must not run there.
func rpPoll() {
	if rpLooksAlone != 0 {
		rpLookAlone()
	}
	if rpOutstanding > rpDrainAt || rpWide > rpWideDrainAt {
		rpDrainNow()
	}
}

// rpDrainNow hands the records to the engine. It runs Go code, which must not wait for any lock
// that user code or the library may hold at a call of rpPoll.
func rpDrainNow() {
	gp := getg()
	if gp != gp.m.curg || gp.m.locks != 0 || gp.m.mallocing != 0 || gp.m.preemptoff != "" {
		return
	}
	if f := rpDrainHook; f != nil {
		f()
	}
}
