//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// What is busy is looked at afresh again and again: often, since one goroutine may make all of the records and a race needs two. The goroutine that drains does it when it is time, and the monitor
// if nobody does: where all that runs is busy nothing is recorded, and nobody drains.

// Nanoseconds.
const (
	rpLookEvery   = 12e6 // at least from one look to the next
	rpLookPerBusy = 64e3 // more for each position that was busy: a few hundredths of the time are for them
)

// rpBusyAt and rpBusyAgain are how many records make a position busy (Q1); none are busy at first.
var rpBusyAt, rpBusyAgain uint32 = ^uint32(0), ^uint32(0)

// rpSmall is how many chunks all goroutines may fill since the test began until positions get busy, and rpTaken how many they took. (Q1)
var rpSmall, rpTaken uint32

var (
	rpLookAt   int64 = 1 << 62 // when it is time again
	rpLookedAt int64           // when positions were last looked at
)

//go:linkname rp_busyAt internal/racepred/process.runtime_busyAt
func rp_busyAt(n, again uint32) { rpBusyAt, rpBusyAgain, rpSmall = n, again, n/2 }

// rp_look looks at all positions afresh if it is time, and says how many were busy.
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

// rp_looksNext says when it is time again, after a look at so many busy positions that ended now.
//
//go:linkname rp_looksNext internal/racepred/process.runtime_looksNext
func rp_looksNext(now, busy int64) { atomic.Storeint64(&rpLookAt, now+rpLookEvery+rpLookPerBusy*busy) }

// rp_afresh makes all positions record again: as many accesses as at first, or a few. It returns how many sites and places were busy.
//
//go:linkname rp_afresh internal/racepred/process.runtime_afresh
func rp_afresh(first bool) (busy int64) {
	heat, idle := rpBusyAt-rpBusyAgain, uint16(rpIdleAt-1)
	if first {
		heat, idle = 0, 0
		clear(rpHeat[:])
		clear(rpPlaceHeat[:])
		clear(rpIdle[:])
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
		i := rpHeatOf(rpSite(site))
		rpHeat[i], rpIdle[i] = heat, idle
		*site &^= rpIsBusy
	}
	for i := range rpBusyPlaces {
		if rpBusyPlaces[i]&rpIsBusy != 0 {
			busy++
			rpPlaceHeat[i] = heat
			rpBusyPlaces[i] = rpWasBusy
		}
	}
	return busy
}
