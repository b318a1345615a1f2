//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Accesses are left out at positions that are busy. What is left out is to predictions what a call of code is that nobody records (docs/sampling.md):
//
//	(Q1) A position is busy when it made rpBusyAt records since the test began, or rpBusyAgain since positions were last looked at afresh
//	     (afresh.go), unless the test is small: it has filled no more than rpSmall chunks, by which it costs next to nothing. Accesses that need no record, repeats within a span for the most part, count by (Q5) alone.
//	(Q2) An access at a busy position is left out wherever it happens. In a section, the first one that is left out is recorded as an Opaque, or as one of reads
//	     (internal/records/opaque.go, O7) for as long as there are only reads.
//	(Q3) Where a lock is taken at a busy position, what its last sections left out tells how the next one begins. If it was nothing, the section is like any
//	     other. If there were only reads, the record of the lock says so. Otherwise the section is hard, and nothing need be said of what is left out.
//	(Q4) All synchronization is recorded.
//	(Q5) A position is busy, too, when some of its accesses needed no record, outside of sections, that many times (norecord.go).
//
// A position of rewritten code has a byte of its own, its site. What the runtime and the compiler's hooks tell of has no site; its
// position is made up of the frames above, and looked for in a table.

// The bits of a site, and of a place's entry in rpBusyPlaces.
const (
	rpIsBusy       = 1 << iota
	rpWasBusy      // a site that was busy at some time is in rpBusySites
	rpStaysBusy    // it was busy again when it was looked at afresh; of sites
	rpLeavesReads  // of a lock's place: a section that began there since it is busy left out reads, (Q3)
	rpLeavesWrites // anything else
)

// rpG.quiet
const (
	rpQuietReads = 1 + iota // the sections that it is in count as ones that leave out reads,
	rpQuiet                 // or anything
)

// rpHeat counts records by position, and rpBusyPlaces says where that was enough, of positions without a site.
var (
	rpHeat       [1 << 15]uint32
	rpPlaceHeat  [1 << 14]uint32
	rpBusyPlaces [1 << 14]uint8
	rpPlaceTops  [1 << 14]*rpStackEntry // the frames that name a place where a lock is taken
)

// rpBusySites are the sites that were busy at some time, the first rpBusyCount of them, some perhaps twice. When there is no room for more,
// all others are recorded.
var (
	rpBusySites [1 << 16]uintptr // of bytes in the data segment: nothing for the garbage collector to look at
	rpBusyCount uint32
	rpBusyEver  uint32 // places
)

//go:nosplit
func rpHeatOf(site uint32) uint32 { return site % uint32(len(rpHeat)) }

//go:nosplit
func rpPlaceHeatOf(place uintptr) uintptr { return (place ^ place>>13) % uintptr(len(rpPlaceHeat)) }

// heats counts a record of size bytes made at a site, or where there is none at the place that s has been told. (Q1) Eight words cost as much as
// a record; but even what is very large is recorded sixteen times.
//
//go:nosplit
func (s *rpG) heats(site uint32, size uintptr) {
	n := min(1+uint32(size/rpWideUnit), rpBusyAt/16+1)
	if site != 0 {
		if h := &rpHeat[rpHeatOf(site)]; *h >= rpBusyAt && rpTaken >= rpSmall {
			rpSiteGetsBusy(rpSiteAt(site))
		} else {
			*h = min(*h+n, rpBusyAt)
		}
		return
	}
	if s.place != 0 {
		s.heatsPlace(s.place, n)
	}
}

//go:nosplit
func (s *rpG) heatsPlace(place uintptr, n uint32) {
	i := rpPlaceHeatOf(place)
	if h := &rpPlaceHeat[i]; *h >= rpBusyAt && rpTaken >= rpSmall {
		if rpBusyPlaces[i] == 0 {
			atomic.Xadd(&rpBusyEver, 1)
		}
		rpBusyPlaces[i] |= rpWasBusy | rpIsBusy
	} else {
		*h = min(*h+n, rpBusyAt)
	}
}

// rpSiteGetsBusy may be called by two goroutines at once, for which the site is then twice in the list, and while rp_afresh runs, which it then outlives.
//
//go:nosplit
func rpSiteGetsBusy(site *byte) {
	if *site&rpWasBusy == 0 {
		n := atomic.Xadd(&rpBusyCount, 1) - 1
		if n >= uint32(len(rpBusySites)) {
			atomic.Xadd(&rpBusyCount, -1)
			return
		}
		rpBusySites[n] = uintptr(unsafe.Pointer(site))
	}
	if *site&rpWasBusy != 0 {
		*site |= rpStaysBusy
	}
	*site |= rpWasBusy | rpIsBusy
}

// omits leaves out an access at a busy position. (Q2)
//
//go:nosplit
func (s *rpG) omits(kind uint64, site *byte) {
	if s.quiet == 0 || s.quiet == rpQuietReads && kind != rpRead {
		s.marks(kind, site)
	}
}

// marks records that an access is left out of the sections that s is in, unless nobody has to be told until s takes another lock.
//
//go:noinline
func (s *rpG) marks(kind uint64, site *byte) {
	if gp := getg(); s.ignore|s.unseen == 0 && gp == gp.m.curg {
		s.opaque(kind, site)
	}
}

// opaque records that what is done in the sections that s is in is not recorded, reads or anything. It need not be said again until s takes another lock.
func (s *rpG) opaque(kind uint64, site *byte) {
	quiet, flags, leaves := uint32(rpQuiet), uint64(0), uint8(rpLeavesWrites)
	if kind == rpRead {
		quiet, flags, leaves = rpQuietReads, rpOpaqueReads, rpLeavesReads
	}
	if s.nheld > 0 {
		s.room()
		s.plain(rpOpaque, flags, 0, 0, rpSite(site), 0)
		for _, at := range s.heldAt[:min(s.nheld, rpHeldLen)] {
			if at != 0 {
				rpBusyPlaces[at-1] |= leaves
			}
		}
	}
	s.quiet = quiet
}

// busyPlace reports whether an access at a position without a site, which is named by one of its return addresses or several, is left out; it
// does so, then. If not, the place is kept for heats.
//
//go:nosplit
func (s *rpG) busyPlace(kind uint64, place uintptr) bool {
	if rpBusyPlaces[rpPlaceHeatOf(place)]&rpIsBusy != 0 {
		s.omits(kind, nil)
		return true
	}
	s.place = place
	return false
}

// busySync reports whether synchronization at the position of the function with the frame at fp is busy, and counts it.
//
//go:nosplit
func (s *rpG) busySync(fp uintptr) bool {
	place := rpPlace(getg(), fp)
	if rpBusyPlaces[rpPlaceHeatOf(place)]&rpIsBusy != 0 {
		return true
	}
	s.heatsPlace(place, 1)
	return false
}

// rp_busy is how many positions ever were busy, and how many of them are of accesses in rewritten code and stayed so.
//
//go:linkname rp_busy internal/racepred/process.runtime_busy
func rp_busy() (all, stay int) {
	all = min(int(atomic.Load(&rpBusyCount)), len(rpBusySites))
	for _, site := range rpBusySites[:all] {
		if *(*byte)(unsafe.Pointer(site))&rpStaysBusy != 0 {
			stay++
		}
	}
	return all + int(atomic.Load(&rpBusyEver)), stay
}

// rpBusyHook is busyPlace for the function with the frame at fp.
//
//go:nosplit
func rpBusyHook(kind uint64, fp uintptr) bool {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	return s == nil || s.busyPlace(kind, rpPlace(getg(), fp))
}
