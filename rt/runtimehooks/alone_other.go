//go:build racepred_seam && !go1.26

package runtime

import "unsafe"

// Before Go 1.26 it is not known what goroutines wait in, so that none is ever known to be alone
// (alone.go).

//go:linkname rp_alone internal/racepred/process.runtime_alone
func rp_alone(mode uint32) {}

func rpLookSoon() {}

func rpLookAlone() {}

var (
	rpAloneG     *rpG
	rpLooksAlone uint32
)

func (s *rpG) notAlone() {}

func rpAloneEnds(woken uintptr) (acquires bool) { return false }

func rpReady(gp *g) {}

// rpParks is called when the running goroutine is about to wait.
//
//go:nosplit
func rpParks() {
	if s := (*rpG)(unsafe.Pointer(getg().racectx)); s != nil && s.leftFresh { // (V4)
		s.recordLeft()
	}
}

func rpCallsBack() {}

func rpTimerSet(t *timer) {}

func rpTimerLate(racectx uintptr, t *timer) {}
