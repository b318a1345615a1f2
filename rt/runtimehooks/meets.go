//go:build racepred_seam

package runtime

import "unsafe"

// A race of busy code with code that seldom runs has one access that is recorded, and one that
// mostly is not. The recorded one leaves a note in the shadow. So an access at a busy position is
// recorded if it finds a note of another goroutine's access in conflict with it (Q6), but not twice
// in turn for one note and goroutine: the note stays there, and most are of accesses that come
// before by synchronization. Each position has rpMeetMost such records from one look to the next,
// half of them for notes of code that was busy itself.

// rpMeetMost is as many records as positions make in a look.
const rpMeetMost = 16

// rare is the bit of a note that says that its access was at a position that was never busy: at a
// site, or without one at s.place.
//
//go:nosplit
func (s *rpG) rare(site uint32) uint64 {
	busy := rpBusyPlaces[rpPlaceIndex(s.place)]
	if site != 0 {
		busy = *rpSiteAt(site)
	}
	if busy&rpWasBusy != 0 {
		return 0
	}
	return rpRare
}

const rpRare = 1 << 16

// rpMeetings counts them, as rpHits counts records by site, and from rpMeetPlaces on as rpPlaceHits
// does by place. rpMet is which note was met last, and by which goroutine.
var (
	rpMeetings [rpMeetPlaces + uint32(len(rpPlaceHits))]uint8
	rpMet      [rpMeetPlaces + uint32(len(rpPlaceHits))]uint32
)

const rpMeetPlaces = uint32(len(rpHits))

// passes reports whether an access at a busy position, of memory at p, is left out without a call
// of meets. After the goroutine's first rpMeetAll such accesses only one in 16 looks, since busy
// code comes again. Which ones must not depend on the place in a loop: the multiples of a number,
// of which the upper bits are spread evenly.
//
//go:nosplit
func (s *rpG) passes(p uintptr) bool {
	return s.passesHook(p) && !s.mayBeEarly()
}

// passesHook is passes for code of the library, which (Q7) is not about.
//
//go:nosplit
func (s *rpG) passesHook(p uintptr) bool {
	s.passed++
	return s.passed > rpMeetAll && s.passed*0x9E3779B1>>28 != 0 || rpAlone(p)
}

const rpMeetAll = 1 << 16

// rpAlone reports whether there is no note near p, which is in the heap: most that busy code
// accesses is of that kind.
//
//go:nosplit
func rpAlone(p uintptr) bool {
	return rpNotedTable && p-rpHeapLo < rpHeapSize && *rpNotedAt(p) == 0
}

// meetsAt is meets for a busy site.
//
//go:nosplit
func (s *rpG) meetsAt(site *byte, kind uint64, p, size uintptr) bool {
	return s.meets(kind, p, size, rpHitIndex(rpSite(site)))
}

// meets reports whether an access of size bytes at p is recorded by (Q7) or (Q6), at a busy
// position that is counted at that index.
//
//go:nosplit
func (s *rpG) meets(kind uint64, p, size uintptr, at uint32) bool {
	return s.mayBeEarly() && s.isEarly(at) || s.meetsNote(kind, p, size, at)
}

// meetsNote reports whether it is recorded by (Q6). Of an access that spans several words the first
// one is looked at.
//
//go:nosplit
func (s *rpG) meetsNote(kind uint64, p, size uintptr, at uint32) bool {
	if rpMeetings[at] >= rpMeetMost || size == 0 {
		return false
	}
	var sh *[2]uint64
	if i := p - rpHeapLo; i < rpHeapSize {
		if rpArenas[i>>rpArenaBits] != 1 {
			return false
		}
		sh = (*[2]uint64)(unsafe.Pointer(rpShadowBase + (p&^7)*2))
	} else if sh = rpShadow(p); sh == nil {
		return false
	}
	bytes := rpTouch(kind, p, min(size, 8-p&7)) >> 8
	if kind != rpRead {
		bytes <<= 8 // a note of a write has the bytes as read, too
	}
	for _, note := range sh {
		span := note >> rpSpanAt
		if note&bytes != 0 && span != 0 && uint32(span)&rpSpanOwner != s.id&rpSpanOwner && (note&rpRare != 0 || rpMeetings[at] < rpMeetMost/2) {
			met := uint32(span) ^ s.id<<20
			if rpMet[at] == met {
				continue
			}
			rpMet[at] = met
			rpMeetings[at]++
			return true
		}
	}
	return false
}
