//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// The hooks that the runtime calls, some of them for package internal/race. rpHook_NAME is the body
// of NAME in race0.go.

// rpMallocs counts the objects that the engine allocated. They are taken off where tests count
// allocations.
var rpMallocs uint64

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

// rpUser records an access that the runtime makes for the user code at place, which is a return
// address. On a system stack there is no user code. Between race.Unseen(true) and
// race.Unseen(false) others access these variables only with a lock.
func rpUser(kind uint64, addr unsafe.Pointer, size, place uintptr) {
	gp := getg()
	if gp != gp.m.curg || rpLocal(uintptr(addr)) {
		return
	}
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s != nil && s.unseen != 0 {
		return // package testing's own maps, and the like
	}
	switch {
	case s == nil:
	case s.busyPlace(kind, uintptr(addr), size, place):
		if kind == rpModify {
			kind, size = rpWrite, rpMapChange&0xff
		}
		s.keepHookMiss(kind, uintptr(addr), size, place)
	case kind == rpWrite:
		rpWriteAt(addr, size, nil)
	case kind == rpModify:
		rpMapChangeAt(addr)
	default:
		rpReadAt(addr, size, nil)
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
	rpMain = rpNewG(0)
	rpMain.names(atomic.Xadd64(&rpTickets.n, 1))
	rpMain.born = rpMain.span
	rpSkipTicket(rpMain)
	return uintptr(unsafe.Pointer(rpMain)), 1
}

func rpHook_racefini() {
	if f := rpErrorsHook; f != nil && f() > 0 {
		exit(66)
	}
	exit(0)
}

func rpHook_raceproccreate() uintptr { return 1 }

func rpHook_racemapshadow(addr unsafe.Pointer, size uintptr) { rpMapShadow(uintptr(addr), size) }

func rpHook_racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) {
	if pc == abi.FuncPCABIInternal(closechan) || pc == abi.FuncPCABIInternal(deferprocat) {
		rpUser(rpWrite, addr, 1, callerpc)
		return
	}
	rpUser(rpModify, addr, rpMapChange, callerpc)
}

func rpHook_racereadpc(addr unsafe.Pointer, callerpc, pc uintptr) { rpUser(rpRead, addr, 1, callerpc) }

func rpHook_racereadrangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	if getg().m.locks != 0 {
		return // the runtime's own slice grows, as that of its timers, which may have been allocated where nothing is recorded
	}
	if s := (*rpG)(unsafe.Pointer(getg().racectx)); s != nil && s.pushes(uintptr(addr)) {
		return
	}
	rpUser(rpRead, addr, sz, callerpc)
}

func rpHook_racewriterangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	if s := (*rpG)(unsafe.Pointer(getg().racectx)); s != nil && s.adds(uintptr(addr)) {
		return
	}
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
	if s.nleft != 0 { // (L5)
		s.recordLeft()
	}
	rpMarkSync(uintptr(addr))
	s.sync(kind, uintptr(addr), 0)
}

func rpHook_raceacquire(addr unsafe.Pointer) {
	rpEdge(getg(), rpAcquire, addr)
	if addr == unsafe.Pointer(&racecgosync) {
		rpActsOutside(rpChanges)
	}
}

func rpHook_raceacquireg(gp *g, addr unsafe.Pointer) { rpEdge(gp, rpAcquire, addr) }

func rpHook_racerelease(addr unsafe.Pointer) { rpEdge(getg(), rpRelease, addr) }

func rpHook_racereleaseg(gp *g, addr unsafe.Pointer) { rpEdge(gp, rpRelease, addr) }

func rpHook_racereleaseacquire(addr unsafe.Pointer) { rpEdge(getg(), rpReleaseAcquire, addr) }

func rpHook_racereleaseacquireg(gp *g, a unsafe.Pointer) { rpEdge(gp, rpReleaseAcquire, a) }

func rpHook_racereleasemerge(addr unsafe.Pointer) {
	if addr == unsafe.Pointer(&racecgosync) { // C may do whatever system calls do
		rpActsOutside(rpChanges)
	}
	rpEdge(getg(), rpReleaseMerge, addr)
}

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
		rpAloneEnds(getg().racectx) // (L6)
		s.sync(rpAcquireAll, 0, 0)
	}
}

// rpHook_racemalloc starts a new life of the size bytes at p, if the shadow knows of an earlier
// one.
func rpHook_racemalloc(p unsafe.Pointer, sz uintptr) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil || s.ignore >= rpIgnoreAll {
		return // the marks stay for the next goroutine that can record this
	}
	if s.ignore == 0 && sz <= rpUntouchedMax && rpUnnoted(uintptr(p)) {
		s.add(uintptr(p), sz)
		return
	}
	lo, hi := rpClear(uintptr(p), sz)
	for lo < hi {
		n := min(hi-lo, rpPartMax)
		s.room()
		s.ticket(rpAlloc, lo, uint64(n), 0) // orders nothing, so the span goes on
		lo += n
	}
	if s.ignore != 0 {
		// The new life is recorded all the same: an object that is allocated during a drain may not
		// be the engine's. A drain can begin a cycle of the garbage collector, and the collector's
		// new workers answer on a channel that the draining goroutine made.
		atomic.Xadd64(&rpMallocs, 1)
		return
	}
	s.add(uintptr(p), sz)
}

// rpTimer pins the order of a timer's Stops and Resets, and rpTimerFires its firing among them.
// Both take out what is on the timer's channel, and say whether it was taken out before: so their
// order with the channel's operations counts, too.
func rpTimer(t *timer) {
	s := rpSyncSelf()
	if s == nil || !rpValid(uintptr(unsafe.Pointer(t))) {
		return
	}
	rpTimerSet(t)
	stack := rpStackHere(getg(), 0)
	rpMarkSync(uintptr(unsafe.Pointer(t)))
	s.sync(rpChange, uintptr(unsafe.Pointer(t)), stack)
	if !t.isChan {
		return
	}
	if c := uintptr(unsafe.Pointer(t.hchan())); rpValid(c) {
		rpMarkSync(c)
		s.sync(rpChange, c, stack)
	}
}

func rpTimerFires(racectx uintptr, t *timer, bubble *synctestBubble) {
	t.state |= rpTimerFired // t is locked
	rpTimerLate(racectx, t)
	rpTimeSeenBy(racectx, bubble)
	if rpValid(uintptr(unsafe.Pointer(t))) {
		rpCtxEdge(racectx, rpChange, unsafe.Pointer(t))
	}
}
