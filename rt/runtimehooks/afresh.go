//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Now and then all busy positions are looked at afresh: each records a few accesses again. This is done often, since a race needs records of two goroutines, and one of them may make all
// records of a look. The goroutine that drains starts a look when it is due, or else the system monitor: when all running code is busy, nothing is recorded, and no goroutine drains.

// Nanoseconds.
const (
	rpLookEvery   = 12e6 // the shortest time from one look to the next
	rpLookPerBusy = 64e3 // added for each position that was busy, so that looks take a few hundredths of the time
)

// rpBusyAt and rpBusyAgain are how many records make a position busy (Q1). Until they are set, no position gets busy.
var rpBusyAt, rpBusyAgain uint32 = ^uint32(0), ^uint32(0)

// rpTaken is how many chunks all goroutines filled since the test began. Positions get busy only when it reaches rpSmall. (Q1)
var rpSmall, rpTaken uint32

var (
	rpLookAt   int64 = 1 << 62 // when the next look is due
	rpLookedAt int64           // when positions were last looked at
)

//go:linkname rp_busyAt internal/racepred/process.runtime_busyAt
func rp_busyAt(n, again uint32) { rpBusyAt, rpBusyAgain, rpSmall = n, again, n/2 }

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

// rp_afresh makes all positions record again: as many accesses as at the beginning of a test if first, otherwise a few. It returns how many sites and places were busy.
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
		rpTaken = 0
	}
	rpLookedAt = nanotime()
	for _, at := range rpBusySites[:min(int(atomic.Load(&rpBusyCount)), len(rpBusySites))] {
		if at == 0 {
			continue // it is being put in
		}
		site := (*byte)(unsafe.Pointer(at))
		if *site&rpIsBusy != 0 {
			busy++
		}
		i := rpHitIndex(rpSite(site))
		rpHits[i], rpIdle[i], rpMeetings[i] = hits, idle, 0
		*site &^= rpIsBusy
	}
	for i := range rpBusyPlaces {
		if rpBusyPlaces[i]&rpIsBusy != 0 {
			busy++
			rpPlaceHits[i], rpMeetings[rpMeetPlaces+uint32(i)] = hits, 0
			rpBusyPlaces[i] = rpWasBusy
		}
	}
	return busy
}
