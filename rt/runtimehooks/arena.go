//go:build racepred_seam

package runtime

import "unsafe"

// The engine's memory, outside of the Go heap. What it knows of many objects is looked at in no
// order, so that most looks miss the processor's table of pages, too. Beyond the first megabyte it
// asks the system for large pages: with an engine of 300 MB, tests of lock-free maps then take 0.9
// of the CPU time. A virtual machine may take 13 µs for the first touch of a small page, and 130 µs
// for that of a large one: of the suites of seven modules, whose engines have 30 to 60 MB, six take
// 0.85 to 0.97 of the CPU time.

const (
	rpHugePage   = 2 << 20
	rpSmallArena = 1 << 20 // bytes with small pages: many test processes need no more, and a large page would be cleared for a few bytes
	rpArenaGrows = 2 * rpHugePage
)

// rpEngineMemory is what rp_alloc has given out.
var rpEngineMemory struct {
	lock    mutex
	at, end uintptr // of the present region of large pages
	bytes   uintptr // given out so far
}

// rp_alloc returns zeroed memory outside of the Go heap, for good.
//
//go:linkname rp_alloc internal/racepred/process.runtime_alloc
func rp_alloc(bytes uintptr) unsafe.Pointer {
	m := &rpEngineMemory
	lock(&m.lock)
	m.bytes += bytes
	if m.bytes <= rpSmallArena {
		unlock(&m.lock)
		return persistentalloc(bytes, 8, &memstats.other_sys)
	}
	bytes = alignUp(bytes, 8)
	if m.end-m.at < bytes {
		size := max(alignUp(bytes, rpHugePage), rpArenaGrows)
		p := uintptr(sysAlloc(size+rpHugePage, &memstats.other_sys, "racepred engine"))
		if p == 0 {
			throw("racepred: out of memory")
		}
		m.at = alignUp(p, rpHugePage)
		m.end = m.at + size
		sysHugePage(unsafe.Pointer(m.at), size)
	}
	p := m.at
	m.at += bytes
	unlock(&m.lock)
	return unsafe.Pointer(p)
}
