//go:build racepred_seam

package runtime

import (
	"internal/cpu"
	"internal/runtime/atomic"
	"unsafe"
)

// Goroutines, from their creation to their last record.

// rpNewG makes the state of a new goroutine, with the chunk that it needs for its end at least. Its
// number is one more than the runtime's own, which is 1 for the main goroutine and is never used
// twice; goid 0 is for what the runtime does before there is one. So reports and the traces of
// panics have the same numbers (present.Namer).
func rpNewG(goid uint64) *rpG {
	lock(&rpGLock)
	s, c := rpFreeGs, rpTakeChunk()
	if s != nil {
		rpFreeGs = s.next
	}
	for s == nil || c == nil || rpGs.full() {
		full, room := rpGs.full(), rpGs.room
		unlock(&rpGLock)
		if s == nil {
			s = (*rpG)(persistentalloc(unsafe.Sizeof(rpG{}), cpu.CacheLinePadSize, &memstats.other_sys))
		}
		if c == nil {
			c = rpMakeChunk()
		}
		var more *rpGTable
		if full {
			more = rpMoreGs(room)
		}
		lock(&rpGLock)
		if full && rpGs.room == room {
			rpGs.grow(more)
		}
	}
	*s = rpG{cache: &rpNoCache, w: c, r: c, keeps: rpKeeps, early: [2]uint8{rpEarlyNew: rpEarly}, outside: s.outside}
	s.id = uint32(goid) + 1
	s.begins()
	rpGs.add(s)
	unlock(&rpGLock)
	return s
}

// rpForkG records that parent starts a goroutine, and returns its state. The
// fork takes two tickets: the second one names the first span of the child.
func rpForkG(parent *rpG, goid uint64, stack uint32) *rpG {
	acquires := rpAloneEnds(0)
	s := rpNewG(goid)
	if goid > 1<<32-2 {
		rpGiveUp() // its number has no room in a record
	}
	if rpLostAt != 0 {
		s.ignore = rpIgnoreAll
		return s
	}
	if parent == nil || parent.ignore != 0 {
		// Nothing that the engine starts is recorded.
		s.names(atomic.Xadd64(&rpTickets.n, 1))
		s.born, s.creator = s.span, 0
		rpSkipTicket(s)
		if acquires {
			s.acquiresAll()
		}
		return s
	}
	parent.room()
	c := parent.w
	n := c.n
	r := &c.recs[n]
	r.what = rpFork<<56 | uint64(s.id)
	r.site = 0
	r.stack = stack
	t := atomic.Xadd64(&rpTickets.n, 2) - 2
	r.when = t & rpStampMask
	c.publish(n + 1)
	parent.newSpan(t + 1)
	parent.starts()
	s.names(t + 2)
	s.born, s.creator = s.span, parent.id
	if acquires || parent.late != 0 {
		s.acquiresAll()
	}
	return s
}

// rpSkipTicket publishes the ticket that s's first span is named after.
func rpSkipTicket(s *rpG) {
	t := s.epoch - 1
	s.room()
	c := s.w
	n := c.n
	r := &c.recs[n]
	r.what = rpTicketed << 56
	r.when = t & rpStampMask
	c.publish(n + 1)
}

// racegostart and racectxstart are called for timers and cleanups, which are no goroutines. So they
// get numbers that no goroutine has.
func rpHook_racegostart(pc uintptr) uintptr { return rpBegins(sched.goidgen.Add(1)) }

// rpBegins begins the goroutine goid.
func rpBegins(goid uint64) uintptr {
	gp := getg()
	spawn := gp
	if gp.m.curg != nil {
		spawn = gp.m.curg
	}
	parent := (*rpG)(unsafe.Pointer(spawn.racectx))
	return uintptr(unsafe.Pointer(rpForkG(parent, goid, rpStackHere(gp, 0))))
}

func rpHook_racegoend() { rpHook_racectxend(getg().racectx) }

func rpHook_racectxstart(pc, spawnctx uintptr) uintptr {
	return uintptr(unsafe.Pointer(rpForkG((*rpG)(unsafe.Pointer(spawnctx)), sched.goidgen.Add(1), 0)))
}

func rpHook_racectxend(racectx uintptr) {
	s := (*rpG)(unsafe.Pointer(racectx))
	if s == nil {
		return
	}
	if rpAloneG == s {
		s.notAlone()
	}
	s.ends()
	if s.ignore < rpIgnoreAll {
		s.sync(rpEnd, 0, 0)
	}
	if gp := getg(); gp.racectx == racectx {
		gp.racectx = 0 // s may belong to another goroutine from now on; raceRestoreCtx goes on to allocate
	}
	atomic.Store(&s.dead, 1)
}
