//go:build racepred_seam

package runtime

// A loop over memory that is the goroutine's own makes no record, however long it runs: its accesses repeat what the span already has, or are of objects that nobody else knows
// yet. Finding that out costs more than a record that is left out. So a position where this happens very often is busy, too (Q5):
//
//	One of rpIdleUnit such accesses of a goroutine is counted, at its position. rpIdleAt of them since the test began make the position busy, and one does since positions were
//	last looked at afresh, but not before rpLookFor nanoseconds of that have gone by: a race needs two goroutines, and the one that needs no records must not end the
//	look before the other one comes by. In sections nothing is counted, since what is left out there makes them opaque.
const (
	rpIdleUnit = 1 << 10
	rpIdleAt   = 1 << 10
	rpLookFor  = 4e6
)

// rpIdle counts units by position, as rpHeat does records.
var rpIdle [1 << 15]uint16

// noRecord counts an access that needs no record, made at a site (or none, 0).
//
//go:nosplit
func (s *rpG) noRecord(site uint32) {
	if s.filtered++; s.filtered%rpIdleUnit == 0 && site != 0 && s.nheld == 0 {
		rpIdles(site)
	}
}

//go:nosplit
//go:noinline
func rpIdles(site uint32) {
	n := &rpIdle[rpHeatOf(site)]
	switch {
	case *n < rpIdleAt-1:
		*n++
	case rpBusyAt != ^uint32(0) && nanotime()-rpLookedAt >= rpLookFor:
		rpSiteGetsBusy(rpSiteAt(site))
	}
}
