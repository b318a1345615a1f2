//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Accesses at busy positions are left out. For predictions they are like calls of unrecorded code
// (docs/sampling.md):
//
//	(Q1) A position is busy when it made rpBusyAt records since the test began, or rpBusyAgain since
//	     positions were last looked at afresh (afresh.go), unless the test is small: one that has
//	     filled no more than rpSmall chunks is cheap. Accesses that need no record, mostly repeats
//	     within a span, count by (Q5) alone.
//	(Q2) An access at a busy position is left out wherever it happens. In a section, the first one
//	     that is left out is recorded as an Opaque, or as one of reads (internal/records/opaque.go,
//	     O7) for as long as there are only reads.
//	(Q3) If a lock is taken at a busy position, how the section begins depends on what earlier
//	     sections there left out. If that was nothing, the section is like any other. If it was only
//	     reads, the record of the lock says so. Otherwise the section is hard, and accesses that it
//	     leaves out need no record.
//	(Q4) All synchronization is recorded.
//	(Q5) A position is busy, too, when some of its accesses needed no record, outside of sections,
//	     that many times (norecord.go).
//	(Q6) An access at a busy position is recorded nevertheless if it meets a record of another
//	     goroutine that is in conflict with it (meets.go).
//	(Q7) So are the first few of a goroutine, and the next few after it has started another one or
//	     used a channel (early.go).
//	(Q8) What is left out is kept for a while. A recorded access that conflicts with it says so
//	     (missed.go).
//
// A position of rewritten code has a byte of its own, its site. An access that the runtime or a
// hook of the compiler records has no site: its position, a place, is a hash of the frames above,
// and an index of tables.

// The bits of a site, and of a place's entry in rpBusyPlaces.
const (
	rpIsBusy         = 1 << iota
	rpWasBusy        // it was busy at some time; such a site is in rpBusySites
	rpStaysBusy      // of a site: it got busy again after positions were looked at afresh
	rpLeavesReads    // of a lock's place: a section that began there while it was busy left out reads (Q3)
	rpLeavesWrites   // anything else
	rpAsksUnrecorded // of a site that asks about a callee (callee.go): one was not recorded
	rpOfLibrary      // of a site: it is in a package of the library
)

// rpG.quiet
const (
	rpQuietReads = 1 + iota // the sections that it is in count as ones that leave out reads,
	rpQuiet                 // or anything
)

// rpHits counts records by site, rpPlaceHits by place; rpBusyPlaces has the bits of places.
var (
	rpHits       [1 << 15]uint32
	rpPlaceHits  [1 << 14]uint32
	rpBusyPlaces [1 << 14]uint8
	rpPlaceTops  [1 << 14]*rpStackEntry // the frames that name a place where a lock is taken
)

// rpBusySites are the sites that were busy at some time, the first rpBusyCount of them, some
// perhaps twice. When it is full, no other site gets busy.
var (
	rpBusySites [1 << 16]uintptr // of bytes in the data segment: nothing for the garbage collector to look at
	rpBusyCount uint32
	rpBusyEver  uint32 // places
)

//go:nosplit
func rpHitIndex(site uint32) uint32 { return site % uint32(len(rpHits)) }

//go:nosplit
func rpPlaceIndex(place uintptr) uintptr { return (place ^ place>>13) % uintptr(len(rpPlaceHits)) }

// countHit counts a record of size bytes made at a site or, without one, at s.place. (Q1) A large
// access counts as more than one record, at most as a 16th of rpBusyAt: so even a very large one is
// recorded sixteen times.
//
//go:nosplit
func (s *rpG) countHit(site uint32, size uintptr) {
	n := min(1+uint32(size/rpWideUnit), rpBusyAt/16+1)
	if site != 0 {
		if h := &rpHits[rpHitIndex(site)]; *h >= rpBusyAt && rpTaken >= rpSmall {
			rpSiteGetsBusy(rpSiteAt(site))
		} else {
			*h = min(*h+n, rpBusyAt)
		}
		return
	}
	if s.place != 0 {
		s.countPlace(s.place, n)
	}
}

//go:nosplit
func (s *rpG) countPlace(place uintptr, n uint32) {
	i := rpPlaceIndex(place)
	if h := &rpPlaceHits[i]; *h >= rpBusyAt && rpTaken >= rpSmall {
		if rpBusyPlaces[i] == 0 {
			atomic.Xadd(&rpBusyEver, 1)
		}
		if rpBusyPlaces[i]&rpIsBusy == 0 {
			atomic.Xadd(&rpBusyNow, 1)
		}
		rpBusyPlaces[i] |= rpWasBusy | rpIsBusy
	} else {
		*h = min(*h+n, rpBusyAt)
	}
}

// rpSiteGetsBusy may be called by two goroutines at once: then the site is in the list twice. It
// may be called while rp_afresh runs: then the site stays busy.
//
//go:nosplit
func rpSiteGetsBusy(site *byte) {
	if *site&rpIsBusy != 0 { // the access was recorded by (Q6)
		return
	}
	if *site&rpWasBusy == 0 {
		n := atomic.Xadd(&rpBusyCount, 1) - 1
		if n >= uint32(len(rpBusySites)) {
			atomic.Xadd(&rpBusyCount, -1)
			return
		}
		rpBusySites[n] = uintptr(unsafe.Pointer(site))
	}
	atomic.Xadd(&rpBusyNow, 1)
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

// marks records that an access is left out of the sections that s is in, unless s is not recorded
// now.
//
//go:noinline
func (s *rpG) marks(kind uint64, site *byte) {
	if gp := getg(); s.ignore|s.unseen == 0 && gp == gp.m.curg {
		s.opaque(kind, site)
	}
}

// opaque records that the sections that s is in have accesses without a record: reads, or any. That
// holds until s takes another lock (s.quiet).
func (s *rpG) opaque(kind uint64, site *byte) {
	quiet, flags, leaves := uint32(rpQuiet), uint64(0), uint8(rpLeavesWrites)
	if kind == rpRead {
		quiet, flags, leaves = rpQuietReads, rpOpaqueReads, rpLeavesReads
	}
	if s.nleft != 0 {
		s.leftOpaque |= leaves
	}
	if s.nheld > s.nleft {
		s.roomInSpan()
		s.plain(rpOpaque, flags, 0, 0, rpSite(site), 0)
		for _, at := range s.heldAt[:min(s.nheld, rpHeldLen)] {
			if at != 0 {
				rpBusyPlaces[at-1] |= leaves
			}
		}
	}
	s.quiet = quiet
}

// busyPlace reports whether an access of size bytes at p, without a site, is left out, since its
// place is busy, and does what is needed then. Otherwise it keeps the place for countHit.
//
//go:nosplit
func (s *rpG) busyPlace(kind uint64, p, size, place uintptr) bool {
	if i := rpPlaceIndex(place); rpBusyPlaces[i]&rpIsBusy != 0 && (s.passes(p) || !s.meets(kind, p, size, uint32(i)+rpMeetPlaces)) {
		if kind != rpRead {
			s.omitsWrite(p, size)
		}
		s.omits(kind, nil)
		return true
	}
	s.place = place
	return false
}

// busySync reports whether the place of the function with the frame at fp is busy, and counts the
// synchronization there.
//
//go:nosplit
func (s *rpG) busySync(fp uintptr) bool {
	place := rpPlace(getg(), fp)
	if rpBusyPlaces[rpPlaceIndex(place)]&rpIsBusy != 0 {
		return true
	}
	s.place = place
	s.countPlace(place, 1)
	return false
}

// rp_busy is how many positions ever were busy, and how many of them are sites that got busy again,
// those of dependencies not counted.
//
//go:linkname rp_busy internal/racepred/process.runtime_busy
func rp_busy() (all, stay int) {
	all = min(int(atomic.Load(&rpBusyCount)), len(rpBusySites))
	for _, site := range rpBusySites[:all] {
		if *(*byte)(unsafe.Pointer(site))&rpStaysBusy != 0 {
			if t := rpTableOf(rpSite((*byte)(unsafe.Pointer(site)))); t == nil || !t.dependency {
				stay++
			}
		}
	}
	return all + int(atomic.Load(&rpBusyEver)), stay
}

// rpBusyHook is busyPlace for the function with the frame at fp.
//
//go:nosplit
func rpBusyHook(kind uint64, p, size, fp uintptr) bool {
	gp := getg()
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil {
		return true
	}
	// The same as busyPlace, with fewer calls for busy places, and without (Q7), which is for other
	// code than the library's.
	place := rpPlace(gp, fp)
	i := rpPlaceIndex(place)
	if rpBusyPlaces[i]&rpIsBusy != 0 && (s.passesHook(p) || !s.meetsNote(kind, p, size, uint32(i)+rpMeetPlaces)) {
		if kind != rpRead {
			s.omitsWrite(p, size)
		}
		if s.quiet != rpQuiet {
			s.omits(kind, nil)
		}
		return true
	}
	s.place = place
	return false
}
