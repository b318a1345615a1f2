//go:build racepred_seam

// The recorder: what runs at every recorded event, in the goroutine that does it.
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
	"internal/abi"
	"internal/cpu"
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// rpTickets are the tickets handed out. Everybody who synchronizes changes them, so they have a line of the cache to themselves.
var rpTickets struct {
	_ cpu.CacheLinePad
	n uint64
	_ cpu.CacheLinePad
}

var (
	rpLastG  uint32
	rpGLock  mutex
	rpAllGs  *rpG     // newest first
	rpChunks *rpChunk // free ones
	rpFreeGs *rpG
	rpGs     int64 // in rpAllGs

	rpOutstanding int64  // chunks in use
	rpDrainAt     int64  = 1 << 62
	rpGiveUpAt    int64  = 1 << 62 // how many chunks may be in use at all
	rpLostAt      uint64           // recording was given up: tickets from this one on are incomplete; 0 is never
	rpDrainHook   func()
	rpErrorsHook  func() int
	rpFlushHook   func()
	rpExitCode    int32
	rpMain        *rpG
	rpFiltered    uint64 // by goroutines that were reaped

	rpDataStart, rpDataEnd uintptr
)

// rpSelf returns the state of the running goroutine, or nil when nothing is to be recorded.
//
//go:nosplit
func rpSelf() *rpG {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || s.ignore != 0 {
		return nil
	}
	return s
}

// rpLeave makes the running goroutine be recorded no more.
func rpLeave() {
	if s := (*rpG)(unsafe.Pointer(getg().racectx)); s != nil {
		s.ignore++
	}
}

// rpSyncSelf is rpSelf for synchronization events, which race.Disable suppresses.
//
//go:nosplit
func rpSyncSelf() *rpG { return rpSyncOf(getg()) }

// rpSyncOf is rpSyncSelf for gp, which runs here or waits for who does.
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

// room makes sure that the current chunk takes one more record (R2).
func (s *rpG) room() {
	if c := s.w; c == nil || c.n == rpChunkLen {
		s.grow()
	}
}

func (s *rpG) grow() {
	if rpDrainHook == nil && rpOutstanding > 1<<12 && s.w != nil {
		// A program without package testing: nobody will ever read this.
		s.w.n = 0
		return
	}
	if rpOutstanding > rpGiveUpAt {
		rpGiveUp()
	}
	if s.w != nil && s.hot == &rpCold {
		s.warm()
	}
	if rpLostAt != 0 {
		s.ignore = rpIgnoreAll // what is about to be recorded still needs its room
	}
	c := rpNewChunk()
	if s.w == nil {
		s.w = c
		atomic.StorepNoWB(unsafe.Pointer(&s.r), unsafe.Pointer(c))
		return
	}
	old := s.w
	s.w = c
	atomic.StorepNoWB(unsafe.Pointer(&old.next), unsafe.Pointer(c))
}

// rpIgnoreAll is more than the engine ever adds to a goroutine's ignore, or takes off it.
const rpIgnoreAll = 1 << 30

// rpGiveUp ends the recording for good, when nobody came along for too long who could
// drain it. Every goroutine stops when its chunk is full; everything with a
// ticket below rpLostAt was recorded.
func rpGiveUp() {
	atomic.Cas64(&rpLostAt, 0, atomic.Load64(&rpTickets.n)+1)
}

func rpNewChunk() *rpChunk {
	lock(&rpGLock)
	c := rpTakeChunk()
	unlock(&rpGLock)
	if c == nil {
		c = rpMakeChunk()
	}
	return c
}

// rpTakeChunk counts a chunk that is going to be used, and returns one if there is a free one. rpGLock is held.
func rpTakeChunk() *rpChunk {
	rpOutstanding++
	c := rpChunks
	if c != nil {
		rpChunks = c.next
		c.next, c.n = nil, 0
	}
	return c
}

func rpMakeChunk() *rpChunk {
	return (*rpChunk)(persistentalloc(unsafe.Sizeof(rpChunk{}), 8, &memstats.other_sys))
}

// publish lets the drain see the first n records.
//
//go:nosplit
func (c *rpChunk) publish(n uint32) {
	if goarch.IsAmd64 == 0 {
		publicationBarrier() // amd64 keeps stores in order, and so does the compiler
	}
	c.n = n
}

// plain records an event that takes no ticket.
//
//go:nosplit
func (s *rpG) plain(kind, flags uint64, addr uintptr, size uint64, site, stack uint32) {
	c := s.w
	n := c.n
	r := &c.recs[n]
	r.what = kind<<56 | flags<<48 | uint64(addr)&rpAddrMask
	r.site = site
	r.stack = stack
	r.when = size<<48 | atomic.Load64(&rpTickets.n)&rpStampMask
	c.publish(n + 1)
}

// ticket records an event at a place of its own in the run, and returns that. The caller made room (R2).
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
	r.what = kind<<56 | uint64(addr)&rpAddrMask
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
	r.what = kind<<56 | uint64(addr) // which is below 1<<48, as tickets are
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
	if sh := rpShadow(addr); sh != nil && sh[0] == 0 {
		sh[0] = 1
		if addr-rpHeapLo < rpHeapSize {
			rpNoted(addr)
		}
	}
}

// rpLocal reports whether p is on the running goroutine's own stack, which
// nobody else can reach. It must be asked before anything that may grow the
// stack: p is only a number, and would then point to where the stack was.
//
//go:nosplit
func rpLocal(p uintptr) bool {
	gp := getg()
	return p-gp.stack.lo < gp.stack.hi-gp.stack.lo
}

// rpPoll drains if much has been recorded. It is called at the end of whatever Go code
// calls, not from within package runtime: in a program that only synchronizes nobody else would.
func rpPoll() {
	if rpOutstanding > rpDrainAt {
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

// rpSite turns a site's address into its number.
//
//go:nosplit
func rpSite(site *byte) uint32 {
	if site == nil {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(site)) - rpDataStart + 1)
}

// RacepredOpaque records that code which nobody records is about to run.
func RacepredOpaque(site *byte) {
	if s := rpSelf(); s != nil && s.nheld > 0 && !rpSparse {
		s.room()
		s.plain(rpOpaque, 0, 0, 0, rpSite(site), 0)
	}
}

// RacepredSites tells the report what the n sites from base on stand for.
func RacepredSites(file, pkg string, base *byte, n int, table string) {
	if base == nil {
		return
	}
	rpSiteTables = append(rpSiteTables, rpSiteTable{file, pkg, rpSite(base), n, table})
}

type rpSiteTable struct {
	file, pkg string
	base      uint32
	n         int
	table     string
}

var rpSiteTables []rpSiteTable

// rpNewG makes the state of a new goroutine, with the chunk that it needs for its end at least.
func rpNewG() *rpG {
	lock(&rpGLock)
	s, c := rpFreeGs, rpTakeChunk()
	if s != nil {
		rpFreeGs = s.next
	}
	if s == nil || c == nil {
		unlock(&rpGLock)
		if s == nil {
			s = (*rpG)(persistentalloc(unsafe.Sizeof(rpG{}), 8, &memstats.other_sys))
		}
		if c == nil {
			c = rpMakeChunk()
		}
		lock(&rpGLock)
	}
	*s = rpG{hot: &rpCold, w: c, r: c}
	rpLastG++
	s.id = rpLastG
	s.next = rpAllGs
	rpAllGs = s
	rpGs++
	unlock(&rpGLock)
	return s
}

// rpForkG records that parent starts a goroutine, and returns its state. The
// fork takes two tickets: the second one names the first span of the child.
func rpForkG(parent *rpG, stack uint32) *rpG {
	s := rpNewG()
	if rpLostAt != 0 {
		s.ignore = rpIgnoreAll
		return s
	}
	if parent == nil || parent.ignore != 0 {
		// Nothing that the engine starts is recorded.
		s.epoch = atomic.Xadd64(&rpTickets.n, 1)
		rpSkipTicket(s)
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
	s.epoch = t + 2
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

// The runtime's and package internal/race's entry points follow, in the order
// of race0.go. rpHook_NAME is the body of NAME.

func rpHook_raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	rpObject(rpRead, t, addr, callerpc)
}

func rpHook_raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	rpObject(rpWrite, t, addr, callerpc)
}

func rpObject(kind uint64, t *_type, addr unsafe.Pointer, callerpc uintptr) {
	size := t.Size_
	if k := t.Kind(); k != abi.Array && k != abi.Struct && size > goarch.PtrSize {
		size = goarch.PtrSize // any write of it writes its first word
	}
	rpUser(kind, addr, size, callerpc)
}

// rpUser records an access that the runtime makes for user code at a place, which is where it returns to; on a system
// stack there is no user to speak for.
func rpUser(kind uint64, addr unsafe.Pointer, size, place uintptr) {
	gp := getg()
	if gp != gp.m.curg || rpLocal(uintptr(addr)) {
		return
	}
	if s := (*rpG)(unsafe.Pointer(gp.racectx)); !rpSparse || s == nil || !s.busyPlace(place) {
		if kind == rpWrite {
			rpWriteAt(addr, size, nil)
		} else {
			rpReadAt(addr, size, nil)
		}
	}
	rpPoll()
}

func rpHook_raceinit() (uintptr, uintptr) {
	lo, hi := ^uintptr(0), uintptr(0)
	for _, p := range [...]uintptr{firstmoduledata.noptrdata, firstmoduledata.data, firstmoduledata.noptrbss, firstmoduledata.bss} {
		lo = min(lo, p)
	}
	for _, p := range [...]uintptr{firstmoduledata.enoptrdata, firstmoduledata.edata, firstmoduledata.enoptrbss, firstmoduledata.ebss} {
		hi = max(hi, p)
	}
	rpDataStart, rpDataEnd = lo, hi
	rpText = firstmoduledata.text
	rpMapDataShadow()
	rpMapNoted()
	rpMain = rpNewG()
	rpMain.epoch = atomic.Xadd64(&rpTickets.n, 1)
	rpSkipTicket(rpMain)
	return uintptr(unsafe.Pointer(rpMain)), 1
}

// rpFlush reports everything that was found until now.
func rpFlush() {
	if f := rpFlushHook; f != nil && getg() == getg().m.curg {
		f()
	}
}

func rpHook_racefini() {
	rpFlush()
	if f := rpErrorsHook; f != nil && f() > 0 {
		exit(66)
	}
	exit(0)
}

func rpHook_raceproccreate() uintptr { return 1 }

func rpHook_racemapshadow(addr unsafe.Pointer, size uintptr) { rpMapShadow(uintptr(addr), size) }

func rpHook_racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) {
	rpUser(rpWrite, addr, 1, callerpc)
}
func rpHook_racereadpc(addr unsafe.Pointer, callerpc, pc uintptr) { rpUser(rpRead, addr, 1, callerpc) }
func rpHook_racereadrangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	rpUser(rpRead, addr, sz, callerpc)
}
func rpHook_racewriterangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	rpUser(rpWrite, addr, sz, callerpc)
}

// rpEdge records a hard edge of goroutine gp.
func rpEdge(gp *g, kind uint64, addr unsafe.Pointer) {
	if getg().raceignore != 0 || !rpValid(uintptr(addr)) {
		return
	}
	rpCtxEdge(gp.racectx, kind, addr)
}

func rpCtxEdge(ctx uintptr, kind uint64, addr unsafe.Pointer) {
	s := (*rpG)(unsafe.Pointer(ctx))
	if s == nil || s.ignore != 0 {
		return
	}
	rpMarkSync(uintptr(addr))
	s.sync(kind, uintptr(addr), 0)
}

func rpHook_raceacquire(addr unsafe.Pointer)             { rpEdge(getg(), rpAcquire, addr) }
func rpHook_raceacquireg(gp *g, addr unsafe.Pointer)     { rpEdge(gp, rpAcquire, addr) }
func rpHook_racerelease(addr unsafe.Pointer)             { rpEdge(getg(), rpRelease, addr) }
func rpHook_racereleaseg(gp *g, addr unsafe.Pointer)     { rpEdge(gp, rpRelease, addr) }
func rpHook_racereleaseacquire(addr unsafe.Pointer)      { rpEdge(getg(), rpReleaseAcquire, addr) }
func rpHook_racereleaseacquireg(gp *g, a unsafe.Pointer) { rpEdge(gp, rpReleaseAcquire, a) }
func rpHook_racereleasemerge(addr unsafe.Pointer)        { rpEdge(getg(), rpReleaseMerge, addr) }
func rpHook_racereleasemergeg(gp *g, addr unsafe.Pointer) {
	rpEdge(gp, rpReleaseMerge, addr)
}

func rpHook_raceacquirectx(racectx uintptr, addr unsafe.Pointer) {
	if rpValid(uintptr(addr)) {
		rpCtxEdge(racectx, rpAcquire, addr)
	}
}

func rpHook_racefingo() {
	if s := rpSelf(); s != nil {
		s.sync(rpAcquireAll, 0, 0)
	}
}

// rpMallocs counts the objects that the engine allocated: tests that count allocations do not mean them.
var rpMallocs uint64

// rpHook_racemalloc starts a new life of the size bytes at p, if the shadow knows of an earlier one.
func rpHook_racemalloc(p unsafe.Pointer, sz uintptr) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || s.ignore >= rpIgnoreAll {
		return // the marks stay for the next one who can tell
	}
	if s.ignore == 0 && sz <= rpFreshMax && rpUnnoted(uintptr(p)) {
		s.add(uintptr(p), sz)
		return
	}
	lo, hi := rpClear(uintptr(p), sz)
	for lo < hi {
		n := min(hi-lo, 65528)
		s.room()
		s.ticket(rpAlloc, lo, uint64(n), 0) // orders nothing, so the span goes on
		lo += n
	}
	if s.ignore != 0 {
		// It is told all the same: what is allocated during a drain may not be the engine's. A drain can be what begins a cycle of the
		// garbage collector, and new workers of it, which are recorded, answer on a channel that the draining goroutine made.
		atomic.Xadd64(&rpMallocs, 1)
		return
	}
	s.add(uintptr(p), sz)
}

func rpHook_racegostart(pc uintptr) uintptr {
	gp := getg()
	spawn := gp
	if gp.m.curg != nil {
		spawn = gp.m.curg
	}
	parent := (*rpG)(unsafe.Pointer(spawn.racectx))
	return uintptr(unsafe.Pointer(rpForkG(parent, rpStackHere(gp, 0))))
}

func rpHook_racegoend() { rpHook_racectxend(getg().racectx) }

func rpHook_racectxstart(pc, spawnctx uintptr) uintptr {
	return uintptr(unsafe.Pointer(rpForkG((*rpG)(unsafe.Pointer(spawnctx)), 0)))
}

func rpHook_racectxend(racectx uintptr) {
	s := (*rpG)(unsafe.Pointer(racectx))
	if s == nil {
		return
	}
	if s.ignore < rpIgnoreAll {
		s.sync(rpEnd, 0, 0)
	}
	if gp := getg(); gp.racectx == racectx {
		gp.racectx = 0 // s is somebody else's at any time from now on; raceRestoreCtx goes on to allocate
	}
	atomic.Store(&s.dead, 1)
}

// The compiler's own hooks, called by packages compiled with -race.

// They are nosplit because the address is a plain number (see access). What asks whether a position is busy may drain, and so move the stack: it is asked
// only of what is not on it.

//go:nosplit
func raceread(addr uintptr) {
	if !rpSparse || !rpLocal(addr) && !rpBusyHook(getfp()) {
		rpReadAt(unsafe.Pointer(addr), 1, nil)
	}
}

//go:nosplit
func racewrite(addr uintptr) {
	if !rpSparse || !rpLocal(addr) && !rpBusyHook(getfp()) {
		rpWriteAt(unsafe.Pointer(addr), 1, nil)
	}
}

//go:nosplit
func racereadrange(addr, size uintptr) {
	if !rpSparse || !rpLocal(addr) && !rpBusyHook(getfp()) {
		rpReadAt(unsafe.Pointer(addr), size, nil)
	}
}

//go:nosplit
func racewriterange(addr, size uintptr) {
	if !rpSparse || !rpLocal(addr) && !rpBusyHook(getfp()) {
		rpWriteAt(unsafe.Pointer(addr), size, nil)
	}
}

//go:nosplit
func racefuncenter(callpc uintptr) {}

//go:nosplit
func racefuncexit() {}

// What internal/race calls.

//go:linkname race_Acquire internal/race.Acquire
func race_Acquire(addr unsafe.Pointer) { rpHook_raceacquire(addr); rpPoll() }

//go:linkname race_Release internal/race.Release
func race_Release(addr unsafe.Pointer) { rpHook_racerelease(addr); rpPoll() }

//go:linkname race_ReleaseMerge internal/race.ReleaseMerge
func race_ReleaseMerge(addr unsafe.Pointer) { rpHook_racereleasemerge(addr); rpPoll() }

//go:linkname race_Disable internal/race.Disable
//go:nosplit
func race_Disable() { getg().raceignore++ }

//go:linkname race_Enable internal/race.Enable
//go:nosplit
func race_Enable() { getg().raceignore-- }

//go:linkname race_Read internal/race.Read
func race_Read(addr unsafe.Pointer) {
	if !rpSparse { // it is what package sync tells of its own objects
		rpUser(rpRead, addr, 1, 0)
	}
}

// Maps tell of every look that is not near (internal/race).

//go:linkname race_ReadPC internal/race.readPC
//go:nosplit
func race_ReadPC(addr unsafe.Pointer, callerpc uintptr) {
	if rpKnown(rpRead, uintptr(addr)) || rpLocal(uintptr(addr)) {
		return
	}
	rpUser(rpRead, addr, 1, callerpc)
}

//go:linkname race_ReadObjectPC internal/race.ReadObjectPC
func race_ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	rpObject(rpRead, t, addr, callerpc)
}

//go:linkname race_Write internal/race.Write
func race_Write(addr unsafe.Pointer) {
	rpUser(rpWrite, addr, 1, rpPlace(getg(), getfp()))
}

//go:linkname race_WritePC internal/race.writePC
//go:nosplit
func race_WritePC(addr unsafe.Pointer, callerpc uintptr) {
	if rpKnown(rpWrite, uintptr(addr)) || rpLocal(uintptr(addr)) {
		return
	}
	rpUser(rpWrite, addr, 1, callerpc)
}

//go:linkname race_WriteObjectPC internal/race.WriteObjectPC
func race_WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	rpObject(rpWrite, t, addr, callerpc)
}

//go:linkname race_ReadRange internal/race.ReadRange
func race_ReadRange(addr unsafe.Pointer, len int) {
	rpUser(rpRead, addr, uintptr(len), rpPlace(getg(), getfp()))
}

//go:linkname race_WriteRange internal/race.WriteRange
func race_WriteRange(addr unsafe.Pointer, len int) {
	rpUser(rpWrite, addr, uintptr(len), rpPlace(getg(), getfp()))
}

//go:linkname race_Errors internal/race.Errors
func race_Errors() int {
	if f := rpErrorsHook; f != nil {
		return f()
	}
	return 0
}

// The additions to internal/race that the edited sync and testing call follow; those of locks are in lock.go.

//go:linkname race_PoolPut internal/race.PoolPut
func race_PoolPut(p, hash unsafe.Pointer) { rpPool(rpReleaseMerge, uintptr(p), hash) }

//go:linkname race_PoolGet internal/race.PoolGet
func race_PoolGet(p, hash unsafe.Pointer) {
	kind := uint64(rpAcquire)
	if s := rpSyncSelf(); s != nil && s.unseen != 0 {
		kind = rpAcquireUnseen
	}
	rpPool(kind, uintptr(p), hash)
}

//go:linkname race_Unseen internal/race.Unseen
func race_Unseen(begin bool) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil {
		return
	}
	s.unseen = 0
	if begin {
		s.unseen = 1
	}
}

//go:linkname race_Opaque internal/race.Opaque
func race_Opaque() { RacepredOpaque(nil) }

// rpPool records an edge between Put and Get of one value. Its object is the value's second byte, where no other
// synchronization object is: the value may well begin with one.
func rpPool(kind uint64, p uintptr, hash unsafe.Pointer) {
	if !rpValid(p) {
		rpEdge(getg(), kind, hash)
		return
	}
	if s := rpSyncSelf(); s != nil {
		rpMarkSync(p)
		s.sync(kind, p+1, 0)
	}
}

//go:linkname race_Change internal/race.Change
func race_Change(addr unsafe.Pointer) { rpEdge(getg(), rpChange, addr) }

// rpTimer pins the order of a timer's Stops and Resets, and rpTimerFires its firing among them.
func rpTimer(t *timer) {
	s := rpSyncSelf()
	if s == nil || !rpValid(uintptr(unsafe.Pointer(t))) || rpSparse {
		return
	}
	rpMarkSync(uintptr(unsafe.Pointer(t)))
	s.sync(rpChange, uintptr(unsafe.Pointer(t)), rpStackHere(getg(), 0))
}

func rpTimerFires(racectx uintptr, t *timer) {
	if rpValid(uintptr(unsafe.Pointer(t))) {
		rpCtxEdge(racectx, rpChange, unsafe.Pointer(t))
	}
}

// rpCounter reports whether p is a counter of -covermode=atomic: nobody waits for those.
//
//go:nosplit
func rpCounter(p uintptr) bool {
	return p-firstmoduledata.covctrs < firstmoduledata.ecovctrs-firstmoduledata.covctrs
}

// Atomic operations (R4): the operation and its record happen under one lock
// per address, in which nothing is preempted.

type rpAtomicLock struct {
	held uint32
	_    [15]uint32
}

var rpAtomicLocks [256]rpAtomicLock

//go:linkname race_AtomicBegin internal/race.AtomicBegin
func race_AtomicBegin(addr unsafe.Pointer) uintptr {
	s := rpSyncSelf()
	if s == nil || !rpValid(uintptr(addr)) {
		return 0
	}
	gp := getg()
	if gp != gp.m.curg || rpLocal(uintptr(addr)) || rpCounter(uintptr(addr)) {
		return 0
	}
	rpMarkSync(uintptr(addr))
	stack := uint32(0)
	if !rpSparse || !s.busyHere(getfp()) {
		stack = rpStackHere(gp, 0)
	}
	s.room()
	acquirem()
	l := &rpAtomicLocks[(uintptr(addr)>>3*0x9E3779B97F4A7C15)>>56]
	for n := 0; !atomic.Cas(&l.held, 0, 1); n++ {
		if n < 16 {
			procyield(10)
		} else {
			osyield() // the thread that has it is not running
		}
	}
	return uintptr(stack) + 1
}

//go:linkname race_AtomicEnd internal/race.AtomicEnd
func race_AtomicEnd(h uintptr, addr unsafe.Pointer, size uintptr, kind int) {
	if h == 0 {
		return
	}
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if kind >= 0 {
		s.ticketed(rpAtomicLoad+uint64(kind), uintptr(addr), uint64(size), uint32(h-1))
	}
	l := &rpAtomicLocks[(uintptr(addr)>>3*0x9E3779B97F4A7C15)>>56]
	atomic.StoreRel(&l.held, 0)
	releasem(getg().m)
	rpPoll()
}

// What the drain calls.

//go:linkname rp_hooks internal/racepred/process.runtime_hooks
func rp_hooks(drain func(), errors func() int, flush func()) {
	rpDrainHook, rpErrorsHook, rpFlushHook = drain, errors, flush
}

// rp_drained sets when the next drain is due, after n more chunks, and when recording is given up.
//
//go:linkname rp_drained internal/racepred/process.runtime_drained
func rp_drained(n, giveUpAt int64) { rpDrainAt, rpGiveUpAt = rpOutstanding+n, giveUpAt }

// rp_waiting is how many chunks there are beyond those that make a drain due.
//
//go:linkname rp_waiting internal/racepred/process.runtime_waiting
func rp_waiting() int64 { return rpOutstanding - rpDrainAt }

//go:linkname rp_now internal/racepred/process.runtime_now
func rp_now() int64 { return nanotime() }

// rp_outstanding is how many chunks are full, more or less: there is one for each goroutine that is not.
//
//go:linkname rp_outstanding internal/racepred/process.runtime_outstanding
func rp_outstanding() int64 { return rpOutstanding - rpGs }

// rp_giveUp ends the recording: nobody will ever read it.
//
//go:linkname rp_giveUp internal/racepred/process.runtime_giveUp
func rp_giveUp() {
	rpGiveUp()
	rpDrainAt = 1 << 62
}

// rp_lostAt is the first ticket that is incomplete, 0 if all are there.
//
//go:linkname rp_lostAt internal/racepred/process.runtime_lostAt
func rp_lostAt() uint64 { return atomic.Load64(&rpLostAt) }

//go:linkname rp_self internal/racepred/process.runtime_self
func rp_self() unsafe.Pointer { return unsafe.Pointer(getg().racectx) }

//go:linkname rp_all internal/racepred/process.runtime_all
func rp_all() unsafe.Pointer {
	lock(&rpGLock)
	p := rpAllGs
	unlock(&rpGLock)
	return unsafe.Pointer(p)
}

//go:linkname rp_tickets internal/racepred/process.runtime_tickets
func rp_tickets() uint64 { return atomic.Load64(&rpTickets.n) }

//go:linkname rp_exitCode internal/racepred/process.runtime_exitCode
func rp_exitCode() int32 { return rpExitCode }

// rp_filterOff makes the recorder record every access, for tests of what it otherwise leaves out.
//
//go:linkname rp_filterOff internal/racepred/process.runtime_filterOff
func rp_filterOff() { rpFilterOff = true }

//go:linkname rp_mallocs internal/racepred/process.runtime_mallocs
func rp_mallocs() uint64 { return atomic.Load64(&rpMallocs) }

// rp_filtered is how many accesses were not recorded in full parts, or looked at in sparse ones: repeats and the like.
//
//go:linkname rp_filtered internal/racepred/process.runtime_filtered
func rp_filtered() (n uint64) {
	lock(&rpGLock)
	n = rpFiltered
	for s := rpAllGs; s != nil; s = s.next {
		n += s.filtered
	}
	unlock(&rpGLock)
	return n
}

// rp_freeChunks takes n chunks back, which are linked from first to last.
//
//go:linkname rp_freeChunks internal/racepred/process.runtime_freeChunks
func rp_freeChunks(first, last unsafe.Pointer, n int) {
	lock(&rpGLock)
	(*rpChunk)(last).next = rpChunks
	rpChunks = (*rpChunk)(first)
	rpOutstanding -= int64(n)
	unlock(&rpGLock)
}

// rp_alloc returns zeroed memory outside of the Go heap, for good.
//
//go:linkname rp_alloc internal/racepred/process.runtime_alloc
func rp_alloc(bytes uintptr) unsafe.Pointer {
	return persistentalloc(bytes, 8, &memstats.other_sys)
}

// rp_reap unlinks the goroutines that are done for (r == nil, marked by pending) from the list.
//
//go:linkname rp_reap internal/racepred/process.runtime_reap
func rp_reap() {
	lock(&rpGLock)
	for pp := &rpAllGs; *pp != nil; {
		s := *pp
		if s.pending != ^uint32(0) {
			pp = &s.next
			continue
		}
		*pp = s.next
		rpGs--
		rpFiltered += s.filtered
		s.cool()
		s.next = rpFreeGs
		rpFreeGs = s
	}
	unlock(&rpGLock)
}

//go:linkname rp_sites internal/racepred/process.runtime_sites
func rp_sites(i int) (file, pkg string, base uint32, n int, table string, ok bool) {
	if i >= len(rpSiteTables) {
		return
	}
	t := rpSiteTables[i]
	return t.file, t.pkg, t.base, t.n, t.table, true
}

//go:linkname rp_mark internal/racepred/process.runtime_mark
func rp_mark(begin bool, test uint32) {
	if s := rpSelf(); s != nil {
		k := uint64(rpTestEnd)
		if begin {
			k = rpTestBegin
		}
		s.sync(k, uintptr(test), 0)
	}
}

//go:linkname rp_yield internal/racepred/process.runtime_yield
func rp_yield() { osyield() }

//go:linkname rp_write internal/racepred/process.runtime_write
func rp_write(b []byte) {
	for len(b) > 0 {
		n := write(2, unsafe.Pointer(&b[0]), int32(len(b)))
		if n <= 0 {
			return
		}
		b = b[n:]
	}
}
