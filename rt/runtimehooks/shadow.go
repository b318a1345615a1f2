//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The shadow has two words for each 8 bytes of memory, for two spans that accessed them
// (filter.go).
//
// The heap of a race-enabled runtime lies in [0xc000000000, 0xe000000000); its
// shadow lies at a fixed distance. If that address is taken already,
// the arena has no shadow, and everything there is recorded.
//
// For each 2 KiB of the heap there is a byte, in a table at a fixed distance, too, that shows
// whether there was ever a note in their shadow: memory of code that is not recorded has none, and
// costs little when it is allocated (untouched). Memory without a shadow counts as noted.

const (
	rpHeapLo     = 0xc000000000
	rpHeapSize   = 0x2000000000
	rpShadowBase = 0x100000000000
	rpArenaBits  = 26

	rpNotedBase = 0xf0000000000
	rpNotedBits = 11 // one byte for each page of the shadow
)

var (
	rpArenas     [rpHeapSize >> rpArenaBits]uint8 // 1: mapped heap with shadow, 2: mapped heap without
	rpDataShadow uintptr
	rpNotedTable bool // the table is there; without it nothing has a shadow

	rpUnshadowed uintptr // bytes of the heap without a shadow

	// Set by the linker to test racepred where no shadow can be mapped
	// (-ldflags=-X=runtime.rpNoShadow=1), or not even the table (2).
	rpNoShadow string
)

// rpValid reports whether p is in the heap or the data segment, where variables can live.
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
		if v != want || rpNoShadow != "" || !rpNotedTable {
			if v != nil {
				sysFreeOS(v, n)
			}
			rpArenas[i>>rpArenaBits] = 2
			rpUnshadowed += 1 << rpArenaBits
			for b := a; rpNotedTable && b < a+1<<rpArenaBits; b += 1 << rpNotedBits {
				rpNoted(b)
			}
			continue
		}
		sysMap(v, n, &memstats.other_sys, "racepred shadow")
		sysNoHugePage(v, n)
		rpArenas[i>>rpArenaBits] = 1
	}
}

// rpMapNoted maps the table, of which nothing is used yet.
func rpMapNoted() {
	lo := unsafe.Pointer(uintptr(rpNotedBase + rpHeapLo>>rpNotedBits))
	const n = rpHeapSize>>rpNotedBits + 3 // untouched reads four bytes
	v := sysReserve(lo, n, "racepred shadow")
	if v != lo || rpNoShadow == "2" {
		if v != nil {
			sysFreeOS(v, n)
		}
		return
	}
	sysMap(v, n, &memstats.other_sys, "racepred shadow")
	sysNoHugePage(v, n)
	rpNotedTable = true
	rpUntouchedMax = 3 << rpNotedBits
}

// rpUntouchedMax is how large an object may be for untouched to know; 0 without the table.
var rpUntouchedMax uintptr

// untouched reports whether nothing need be done about the n bytes of the heap at p, which were
// just allocated: s is recorded, it does not remember its objects now (fresh.go), and there is no
// note of the 2 KiB that the bytes begin in, nor of the next three.
//
//go:nosplit
func (s *rpG) untouched(p, n uintptr) bool {
	return n <= rpUntouchedMax && *(*uint64)(unsafe.Pointer(&s.ignore)) == 0 && rpUnnoted(p)
}

//go:nosplit
func rpUnnoted(p uintptr) bool { return *(*uint32)(unsafe.Pointer(rpNotedBase + p>>rpNotedBits)) == 0 }

// rpNotedAt is the byte of the 2 KiB that p is in.
//
//go:nosplit
func rpNotedAt(p uintptr) *uint8 { return (*uint8)(unsafe.Pointer(rpNotedBase + p>>rpNotedBits)) }

// rpNoted sets that byte: there is a note of p, which is in the heap.
//
//go:nosplit
func rpNoted(p uintptr) {
	if b := rpNotedAt(p); *b == 0 {
		*b = 1
	}
}

// rpMark leaves a note without a goroutine if there is none in the first place; p is in the heap,
// and has a shadow. Shadow without any note is exchanged without being read before: the system maps
// a page that is read first to a shared page of zeroes, and the later write has to interrupt the
// other processors to replace it.
//
//go:nosplit
func rpMark(p uintptr) {
	sh := (*uint64)(unsafe.Pointer(rpShadowBase + (p&^7)*2))
	if b := rpNotedAt(p); *b == 0 {
		atomic.Cas64(sh, 0, rpSyncMark)
		*b = 1
	} else if *sh == 0 {
		atomic.Cas64(sh, 0, rpSyncMark)
	}
}

// rpSyncMark is the note of rpMark.
const rpSyncMark = 1

// rp_unshadowed is how many bytes of the heap have no shadow.
//
//go:linkname rp_unshadowed internal/racepred/process.runtime_unshadowed
func rp_unshadowed() uintptr { return rpUnshadowed }

func rpMapDataShadow() {
	n := alignUp((rpDataEnd-rpDataStart+16)*2, physPageSize)
	v := sysReserve(nil, n, "racepred shadow")
	if v == nil || rpNoShadow != "" {
		return
	}
	sysMap(v, n, &memstats.other_sys, "racepred shadow")
	rpDataShadow = uintptr(v)
}

// rpClear forgets the notes of the n bytes at p, and returns the part of them
// that had any, as [lo, hi). Memory without a shadow counts as noted.
//
//go:nosplit
func rpClear(p, n uintptr) (lo, hi uintptr) {
	lo = ^uintptr(0)
	end := p + n
	for p &^= 7; p < end; {
		next := min(end, (p|(1<<rpNotedBits-1))+1)
		if p-rpHeapLo >= rpHeapSize || rpArenas[(p-rpHeapLo)>>rpArenaBits] != 1 {
			lo, hi = min(lo, p), next
		} else if *rpNotedAt(p) != 0 {
			for ; p < next; p += 8 {
				sh := (*[2]uint64)(unsafe.Pointer(rpShadowBase + p*2))
				if sh[0]|sh[1] != 0 {
					sh[0], sh[1] = 0, 0
					lo, hi = min(lo, p), p+8
				}
			}
		}
		p = next
	}
	return lo, hi
}
