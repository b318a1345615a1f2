//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"internal/goarch"
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
	n := 0
	lo, hi := getg().stack.lo, getg().stack.hi-goarch.PtrSize
	fp := *(*uintptr)(unsafe.Pointer(getfp())) // of the function that calls this one
	for ; n < len(pcs) && fp > lo && fp < hi; n++ {
		pcs[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	if rpRecordedCaller(&pcs) {
		return nil
	}
	return site
}

// rpCallerFrames is how many frames RacepredCaller looks at.
const rpCallerFrames = 4

func rpRecordedCaller(pcs *[rpCallerFrames]uintptr) bool {
	for _, pc := range pcs {
		at := &rpKnownCallers[pc>>1%uintptr(len(rpKnownCallers))]
		yes, known := rpIsKnown(at, pc<<1)
		if known {
			return yes
		}
		switch yes, passes := rpLookCaller(pc); {
		case passes:
			continue
		default:
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
	return rpInFull(rpPackageOf(name)) && rpInFullAt(rpDir(file)), false
}

// RacepredReturns announces that unrecorded code goes on with what locks are held, if site is not nil.
func RacepredReturns(site *byte) {
	if s := rpSelf(); site != nil && s != nil && s.nheld != 0 && s.quiet != rpQuiet {
		s.opaque(rpOpaque, site)
	}
}
