//go:build racepred_seam

package runtime

import (
	"unsafe"
)

// The compiler's own hooks, called by packages compiled with -race.
//
// They are nosplit because the address is a plain number (see access). What asks whether a position is busy may drain, and so move the stack: it is asked
// only of what is not on it.

//go:nosplit
func raceread(addr uintptr) {
	if !rpSparse || !rpLocal(addr) && !rpBusyHook(getfp()) {
		rpReadAt(unsafe.Pointer(addr), 1, nil)
	}
}

//go:nosplit
func racewrite(addr uintptr) {
	if !rpSparse || !rpLocal(addr) && !rpBusyHook(getfp()) {
		rpWriteAt(unsafe.Pointer(addr), 1, nil)
	}
}

//go:nosplit
func racereadrange(addr, size uintptr) {
	if !rpSparse || !rpLocal(addr) && !rpBusyHook(getfp()) {
		rpReadAt(unsafe.Pointer(addr), size, nil)
	}
}

//go:nosplit
func racewriterange(addr, size uintptr) {
	if !rpSparse || !rpLocal(addr) && !rpBusyHook(getfp()) {
		rpWriteAt(unsafe.Pointer(addr), size, nil)
	}
}

//go:nosplit
func racefuncenter(callpc uintptr) {}

//go:nosplit
func racefuncexit() {}
