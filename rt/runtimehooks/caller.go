//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"unsafe"
)

// Functions that may return with a lock (instrument/O15). If the caller is not recorded, it goes on with the lock held, and so the section is opaque.
//
//	(J6) The caller is the function, inlined or not, that the call returns to. Wrappers pass the lock on to their own callers, and so does what runs deferred
//	     functions when a function returns. A function that a panic runs may return to anywhere.
//	(J7) Nothing comes after the first function of a goroutine.

// rpKnownCallers are return addresses, twice, with a 1 if their functions are recorded.
var rpKnownCallers [1 << 8]uintptr

// RacepredCaller returns site if the caller of the function that calls it may be unrecorded, else nil.
//
//go:nosplit
//go:noinline
func RacepredCaller(site *byte) *byte {
	var pcs [rpCallerFrames]uintptr
	fp := *(*uintptr)(unsafe.Pointer(getfp())) // of the function that calls this one
	if n := rpWalk(getg(), fp, pcs[:]); rpRecordedCaller(pcs[:n]) {
		return nil
	}
	return site
}

// rpCallerFrames is how many frames RacepredCaller looks at.
const rpCallerFrames = 4

func rpRecordedCaller(pcs []uintptr) bool {
	for _, pc := range pcs {
		at := &rpKnownCallers[pc>>1%uintptr(len(rpKnownCallers))]
		if yes, known := rpIsKnown(at, pc<<1); known {
			return yes
		}
		if yes, passes := rpLookCaller(pc); !passes {
			rpNoteKnown(at, pc<<1, yes)
			return yes
		}
	}
	return false
}

// rpLookCaller reports whether the function that pc returns to is recorded, or else passes on to its own caller. (J6)
func rpLookCaller(pc uintptr) (recorded, passes bool) {
	f := findfunc(pc - 1)
	if !f.valid() {
		return false, false
	}
	u, uf := newInlineUnwinder(f, pc-1)
	is := u.srcFunc(uf) // the innermost that is in line
	switch is.funcID {
	case abi.FuncID_goexit: // (J7)
		return true, false
	case abi.FuncIDWrapper:
		return false, true
	}
	name := is.name()
	if name == "runtime.deferreturn" {
		return false, true
	}
	file, _ := u.fileLine(uf)
	return rpRecordedBy(name, file), false
}

// RacepredReturns announces that unrecorded code goes on with what locks are held, if site is not nil.
func RacepredReturns(site *byte) {
	if site != nil {
		RacepredOpaque(site)
	}
}
