//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Now and then all busy positions are looked at afresh: each records a few accesses again. This is
// done often, since a race needs records of two goroutines, and one of them may make all records of
// a look. The goroutine that drains starts a look when it is due, or else the system monitor: when
// all running code is busy, nothing is recorded, and no goroutine drains.
//
// The beginning of a test is a look, too, or more than one (package process). Tests are often over
// within a millisecond, before the next look, and what one of them does once at a position that
// another test made busy may be the only sign of a race.

// Nanoseconds.
const (
	rpLookEvery   = 12e6 // the shortest time from one look to the next
	rpLookPerBusy = 64e3 // added for each position that was busy, so that looks take a few hundredths of the time
)

// rpBusyAt and rpBusyAgain are how many records make a position busy (Q1). Until they are set, no
// position gets busy.
var rpBusyAt, rpBusyAgain uint32 = ^uint32(0), ^uint32(0)

// rpTaken is how many chunks all goroutines filled since the test began. Positions get busy only
// when it reaches rpSmall. (Q1)
var rpSmall, rpTaken uint32

var (
	rpLookAt   int64  = 1 << 62 // when the next look is due
	rpLookedAt int64            // when positions were last looked at
	rpBegunAt  int64            // when rp_begins last did something
	rpBusyNow  uint32           // about how many positions are busy
)

//go:linkname rp_busyAt internal/racepred/process.runtime_busyAt
func rp_busyAt(n, again uint32) {
	rpBusyAt, rpBusyAgain, rpSmall, rpEarlyMost = n, again, n/2, int32(n)
	rpEarlyAgain()
}

// rp_look looks at all positions afresh if a look is due, and returns how many were busy.
//
//go:linkname rp_look internal/racepred/process.runtime_look
func rp_look(now int64) (busy int64, looked bool) {
	at := atomic.Loadint64(&rpLookAt)
	if now < at || !atomic.Casint64(&rpLookAt, at, 1<<62) {
		return 0, false
	}
	busy = rp_afresh(false)
	rp_looksNext(now, busy)
	return busy, true
}

// rp_looksNext sets when the next look is due, after one at busy positions that ended now.
//
//go:linkname rp_looksNext internal/racepred/process.runtime_looksNext
func rp_looksNext(now, busy int64) { atomic.Storeint64(&rpLookAt, now+rpLookEvery+rpLookPerBusy*busy) }

// rp_afresh makes all positions record again: as many accesses as at the beginning of a test if
// first, otherwise a few. It returns how many sites and places were busy.
//
//go:linkname rp_afresh internal/racepred/process.runtime_afresh
func rp_afresh(first bool) (busy int64) {
	hits, idle := rpBusyAt-rpBusyAgain, uint16(rpIdleAt-1)
	if first {
		hits, idle = 0, 0
		clear(rpHits[:])
		clear(rpPlaceHits[:])
		clear(rpIdle[:])
		clear(rpMeetings[:])
		clear(rpMissedBy[:])
		rpTaken = 0
	}
	rpLookedAt = nanotime()
	return rpRecordAgain(hits, true, idle)
}

// rp_begins is called when a test begins and positions are not looked at as at the beginning of
// others. If that costs little, each busy one makes as many records again as in half of a look.
//
//go:linkname rp_begins internal/racepred/process.runtime_begins
func rp_begins(now int64) {
	if busy := int64(atomic.Load(&rpBusyNow)); busy > 0 && now-rpBegunAt >= rpLookPerBusy*busy {
		rpBegunAt = now
		rpRecordAgain(rpBusyAt-rpBusyAgain, false, 0)
	}
}

// rpRecordAgain makes all busy positions record again, as if each had made so many records, and
// returns how many there were. If all is set, sites that ever were busy have made so many, too, and
// idle units.
func rpRecordAgain(hits uint32, all bool, idle uint16) (busy int64) {
	atomic.Store(&rpBusyNow, 0)
	rpEarlyAgain()
	for _, at := range rpBusySites[:min(int(atomic.Load(&rpBusyCount)), len(rpBusySites))] {
		if at == 0 {
			continue // it is being put in
		}
		site := (*byte)(unsafe.Pointer(at))
		is, i := *site&rpIsBusy != 0, rpHitIndex(rpSite(site))
		if is || all {
			rpHits[i], rpMeetings[i], rpMissedBy[i] = hits, 0, 0
		}
		if all {
			rpIdle[i] = idle
		}
		if is {
			busy++
			*site &^= rpIsBusy
		}
	}
	for i := range rpBusyPlaces {
		if rpBusyPlaces[i]&rpIsBusy != 0 {
			busy++
			at := rpMeetPlaces + uint32(i)
			rpPlaceHits[i], rpMeetings[at], rpMissedBy[at] = hits, 0, 0
			rpBusyPlaces[i] = rpWasBusy
		}
	}
	return busy
}
