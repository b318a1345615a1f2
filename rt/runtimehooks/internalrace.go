//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"unsafe"
)

// The functions that internal/race calls, and those added to it for the edited sync and testing;
// those for locks are in lock.go.

//go:linkname race_Acquire internal/race.Acquire
func race_Acquire(addr unsafe.Pointer) {
	if uintptr(addr) == rpTransferred && !rpTransfer() {
		return
	}
	rpHook_raceacquire(addr)
	rpPoll()
}

//go:linkname race_Release internal/race.Release
func race_Release(addr unsafe.Pointer) { rpHook_racerelease(addr); rpPoll() }

//go:linkname race_ReleaseMerge internal/race.ReleaseMerge
func race_ReleaseMerge(addr unsafe.Pointer) {
	if uintptr(addr) == rpTransferred && !rpTransfer() {
		return
	}
	rpHook_racereleasemerge(addr)
	rpPoll()
}

//go:linkname race_Disable internal/race.Disable
//go:nosplit
func race_Disable() { getg().raceignore++ }

//go:linkname race_Enable internal/race.Enable
//go:nosplit
func race_Enable() { getg().raceignore-- }

//go:linkname race_ReadPC internal/race.readPC
//go:nosplit
func race_ReadPC(addr unsafe.Pointer, callerpc uintptr) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	switch {
	case s == nil || rpLocal(uintptr(addr)):
	case s.isLast(uintptr(addr), 1) || s.knows(rpRead, uintptr(addr), 1):
		s.filtered++
	default:
		rpUser(rpRead, addr, 1, callerpc)
	}
}

//go:linkname race_ReadObjectPC internal/race.ReadObjectPC
func race_ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	rpObject(rpRead, t, addr, callerpc)
}

//go:linkname race_Write internal/race.Write
func race_Write(addr unsafe.Pointer) {
	rpUser(rpWrite, addr, 1, rpPlace(getg(), getfp()))
}

//go:linkname race_WritePC internal/race.writePC
//go:nosplit
func race_WritePC(addr unsafe.Pointer, callerpc uintptr) {
	if rpMapChangeKnown(uintptr(addr)) || rpLocal(uintptr(addr)) {
		return
	}
	rpUser(rpModify, addr, rpMapChange, callerpc)
}

//go:linkname race_WriteObjectPC internal/race.WriteObjectPC
func race_WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	rpObject(rpWrite, t, addr, callerpc)
}

//go:linkname race_ReadRange internal/race.ReadRange
func race_ReadRange(addr unsafe.Pointer, len int) {
	rpUser(rpRead, addr, uintptr(len), rpPlace(getg(), getfp()))
}

//go:linkname race_WriteRange internal/race.WriteRange
func race_WriteRange(addr unsafe.Pointer, len int) {
	rpUser(rpWrite, addr, uintptr(len), rpPlace(getg(), getfp()))
}

//go:linkname race_Errors internal/race.Errors
func race_Errors() int {
	if f := rpErrorsHook; f != nil {
		return f()
	}
	return 0
}

//go:linkname race_PoolPut internal/race.PoolPut
func race_PoolPut(p, hash unsafe.Pointer) {
	if s := rpSelf(); s != nil {
		s.puts(uintptr(p))
	}
	rpPool(rpReleaseMerge, uintptr(p), hash)
}

//go:linkname race_PoolGet internal/race.PoolGet
func race_PoolGet(p, hash unsafe.Pointer) { rpPool(rpAcquire, uintptr(p), hash) }

//go:linkname race_Unseen internal/race.Unseen
func race_Unseen(begin bool) (was bool) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	if s == nil {
		return false
	}
	was = s.unseen != 0
	s.unseen = 0
	if begin {
		s.unseen = 1
	}
	return was
}

//go:linkname race_New internal/race.New
func race_New(p unsafe.Pointer, size int) {
	if s := rpSelf(); s != nil && size > 0 && rpValid(uintptr(p)) && !s.untouched(uintptr(p), uintptr(size)) {
		rpHook_racemalloc(p, uintptr(size))
	}
}

//go:linkname race_Opaque internal/race.Opaque
func race_Opaque() { RacepredOpaque(nil) }

// rpPool records an edge between Put and Get of one value. Its object is the value's second byte,
// where no other synchronization object is: the value may well begin with one.
func rpPool(kind uint64, p uintptr, hash unsafe.Pointer) {
	if !rpValid(p) {
		rpEdge(getg(), kind, hash)
		return
	}
	if s := rpSyncSelf(); s != nil && !s.leaves(p) {
		s.uses(p)
		s.sync(kind, p+1, 0)
	}
}

//go:linkname race_Change internal/race.Change
func race_Change(addr unsafe.Pointer) { rpEdge(getg(), rpChange, addr) }
