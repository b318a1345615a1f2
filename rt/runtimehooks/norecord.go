//go:build racepred_seam

package runtime

// A loop over memory that only one goroutine uses makes no record, however long it runs: its
// accesses repeat others of the span, or are of fresh objects (fresh.go). To find that out costs
// more than to leave out the access at once. So a position with very many such accesses is busy,
// too (Q5):
//
//	Every rpIdleUnit-th such access of a goroutine is counted, at its position. rpIdleAt of them since the test began make the position busy. After positions were
//	looked at afresh, one is enough, but not before rpLookFor nanoseconds: a race needs two goroutines, and the goroutine that needs no records must not end the
//	look before the other one gets there. In sections nothing is counted, since accesses that are left out there make the sections opaque.
const (
	rpIdleUnit = 1 << 10
	rpIdleAt   = 1 << 10
	rpLookFor  = 4e6
)

// rpIdle counts units by site, as rpHits counts records.
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
	n := &rpIdle[rpHitIndex(site)]
	switch {
	case *n < rpIdleAt-1:
		*n++
	case rpBusyAt != ^uint32(0) && nanotime()-rpLookedAt >= rpLookFor:
		rpSiteGetsBusy(rpSiteAt(site))
	}
}
