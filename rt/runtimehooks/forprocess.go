//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The functions that package process calls.

//go:linkname rp_hooks internal/racepred/process.runtime_hooks
func rp_hooks(drain func(), errors func() int, contains func(symbol string) bool) {
	rpDrainHook, rpErrorsHook, rpContainsHook = drain, errors, contains
}

// rp_drained sets when the next drain is due, after n more chunks or wide accesses that cost as
// much, and when recording is given up.
//
//go:linkname rp_drained internal/racepred/process.runtime_drained
func rp_drained(n, giveUpAt int64) {
	rpDrainAt, rpGiveUpAt = rpOutstanding+n, giveUpAt
	rpWideDrainAt = rpWide + n*rpChunkLen
}

// rp_waiting is how many chunks there are beyond those that make a drain due, or what wide accesses
// cost beyond that.
//
//go:linkname rp_waiting internal/racepred/process.runtime_waiting
func rp_waiting() int64 {
	return max(rpOutstanding-rpDrainAt, (rpWide-rpWideDrainAt+rpChunkLen-1)/rpChunkLen)
}

// rp_brief reports whether the running goroutine has not filled a chunk so far.
//
//go:linkname rp_brief internal/racepred/process.runtime_brief
func rp_brief() bool {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	return s != nil && s.cache == &rpNoCache
}

//go:linkname rp_now internal/racepred/process.runtime_now
func rp_now() int64 { return nanotime() }

// rp_giveUp ends the recording: its records will not be read.
//
//go:linkname rp_giveUp internal/racepred/process.runtime_giveUp
func rp_giveUp() {
	rpGiveUp()
	rpDrainAt, rpWideDrainAt = 1<<62, 1<<62
}

// rp_lostAt is the first ticket from which on events are missing, 0 if none are.
//
//go:linkname rp_lostAt internal/racepred/process.runtime_lostAt
func rp_lostAt() uint64 { return atomic.Load64(&rpLostAt) }

//go:linkname rp_self internal/racepred/process.runtime_self
func rp_self() unsafe.Pointer { return unsafe.Pointer(getg().racectx) }

//go:linkname rp_tickets internal/racepred/process.runtime_tickets
func rp_tickets() uint64 { return atomic.Load64(&rpTickets.n) }

// rp_randomSchedule makes goroutines go on in a random order, as under -race.
//
//go:linkname rp_randomSchedule internal/racepred/process.runtime_randomSchedule
func rp_randomSchedule() { randomizeScheduler = true }

// rp_filterOff makes the recorder record every access, for tests of what it otherwise leaves out.
//
//go:linkname rp_filterOff internal/racepred/process.runtime_filterOff
func rp_filterOff() {
	rpFilterOff = true
	if s := rpSelf(); s != nil {
		s.fresh.rpFreshCount = rpFreshCount{}
	}
}

//go:linkname rp_mallocs internal/racepred/process.runtime_mallocs
func rp_mallocs() uint64 { return atomic.Load64(&rpMallocs) }

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

//go:linkname rp_sites internal/racepred/process.runtime_sites
func rp_sites(i int) (file, pkg string, base uint32, n int, table string, ok bool) {
	if i >= len(rpSiteTables) {
		return
	}
	t := rpSiteTables[i]
	return t.file, t.pkg, t.base, t.n, t.table, true
}

//go:linkname rp_ofLibrary internal/racepred/process.runtime_ofLibrary
func rp_ofLibrary(site uint32) bool { return *rpSiteAt(site)&rpOfLibrary != 0 }

//go:linkname rp_mark internal/racepred/process.runtime_mark
func rp_mark(test uint32) {
	if s := rpSelf(); s != nil {
		s.sync(rpTestBegin, uintptr(test), 0)
	}
	rpPoolsAfresh()
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
