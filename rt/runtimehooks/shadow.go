//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The shadow has two words for each 8 bytes of memory: the span that last read
// them and the span that last wrote them, each as epoch<<8 | bytes touched. An
// access whose span is already there is a repeat and is not recorded again.
//
// The heap of a race-enabled runtime lies in [0xc000000000, 0xe000000000); its
// shadow lies at a fixed distance. Where the system gives that address to
// somebody else the arena has no shadow, and everything there is recorded.

const (
	rpHeapLo     = 0xc000000000
	rpHeapSize   = 0x2000000000
	rpShadowBase = 0x100000000000
	rpArenaBits  = 26
)

var (
	rpArenas     [rpHeapSize >> rpArenaBits]uint8 // 1: mapped heap with shadow, 2: mapped heap without
	rpDataShadow uintptr
)

// rpValid tells whether p is in the heap or the data segment, where variables can live.
//
//go:nosplit
func rpValid(p uintptr) bool {
	if i := p - rpHeapLo; i < rpHeapSize {
		return rpArenas[i>>rpArenaBits] != 0
	}
	return p-rpDataStart < rpDataEnd-rpDataStart
}

//go:nosplit
func rpShadow(p uintptr) *[2]uint64 {
	if i := p - rpHeapLo; i < rpHeapSize {
		if rpArenas[i>>rpArenaBits] != 1 {
			return nil
		}
		return (*[2]uint64)(unsafe.Pointer(rpShadowBase + (p&^7)*2))
	}
	if rpDataShadow != 0 && p-rpDataStart < rpDataEnd-rpDataStart {
		return (*[2]uint64)(unsafe.Pointer(rpDataShadow + ((p&^7)-(rpDataStart&^7))*2))
	}
	return nil
}

func rpMapShadow(p, size uintptr) {
	for a := p &^ (1<<rpArenaBits - 1); a < p+size; a += 1 << rpArenaBits {
		i := a - rpHeapLo
		if i >= rpHeapSize || rpArenas[i>>rpArenaBits] != 0 {
			continue
		}
		want := unsafe.Pointer(rpShadowBase + a*2)
		const n = 2 << rpArenaBits
		v := sysReserve(want, n, "racepred shadow")
		if v != want {
			if v != nil {
				sysFreeOS(v, n)
			}
			rpArenas[i>>rpArenaBits] = 2
			continue
		}
		sysMap(v, n, &memstats.other_sys, "racepred shadow")
		sysNoHugePage(v, n)
		rpArenas[i>>rpArenaBits] = 1
	}
}

func rpMapDataShadow() {
	n := alignUp((rpDataEnd-rpDataStart+16)*2, physPageSize)
	v := sysReserve(nil, n, "racepred shadow")
	if v == nil {
		return
	}
	sysMap(v, n, &memstats.other_sys, "racepred shadow")
	rpDataShadow = uintptr(v)
}

// rpFilter reports whether s already recorded this access in its current span,
// and notes it if not. A read is also covered by the span's own write.
//
//go:nosplit
func rpFilter(s *rpG, kind uint64, p, size uintptr) bool {
	covered := true
	for end := p + size; p < end; {
		next := p&^7 + 8
		mask := uint64(0xff) << (p & 7)
		if next > end {
			mask &= 0xff >> (next - end)
		}
		sh := rpShadow(p)
		if sh == nil {
			return false
		}
		if !rpSeen(sh, kind, s.epoch, mask&0xff) {
			covered = false
		}
		p = next
	}
	return covered
}

//go:nosplit
func rpSeen(sh *[2]uint64, kind, epoch, mask uint64) bool {
	w := atomic.Load64(&sh[1])
	if w>>8 == epoch && w&mask == mask {
		return true
	}
	if kind == rpWrite {
		if w>>8 == epoch {
			mask |= w & 0xff
		}
		atomic.Store64(&sh[1], epoch<<8|mask)
		return false
	}
	r := atomic.Load64(&sh[0])
	if r>>8 == epoch {
		if r&mask == mask {
			return true
		}
		mask |= r & 0xff
	}
	atomic.Store64(&sh[0], epoch<<8|mask)
	return false
}

// rpClear forgets the marks of the n bytes at p and returns the part of them
// that had any, as [lo, hi). Memory without a shadow counts as marked.
//
//go:nosplit
func rpClear(p, n uintptr) (lo, hi uintptr) {
	lo = ^uintptr(0)
	for a := p &^ 7; a < p+n; a += 8 {
		sh := rpShadow(a)
		if sh == nil {
			return p, p + n
		}
		if sh[0]|sh[1] != 0 {
			sh[0], sh[1] = 0, 0
			if a < lo {
				lo = a
			}
			hi = a + 8
		}
	}
	return lo, hi
}
