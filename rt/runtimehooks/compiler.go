//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"unsafe"
)

// The compiler's own hooks, called by packages compiled with -race.
//
// The compiler calls them at points where the frame of the caller is not complete: in t := *p, of a
// type of several words, t counts as live from before the hooks for *p and t, though it still holds
// old words. This is harmless for TSan's own hooks, which never grow the stack nor let the
// collector look at it. These hooks may do both. So that frame is scanned conservatively, as after
// an asynchronous preemption (rpHookCalled), and pointers in stacks that move are not checked
// (edits of runtime/mgcmark.go and runtime/stack.go).
//
// They are nosplit because the address is a plain number (see access). The question whether a
// position is busy may lead to a drain, which may move the stack: it is asked only for memory
// outside of the stack.

//go:nosplit
func raceread(addr uintptr) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	switch {
	case s == nil || rpLocal(addr) || rpConstant(addr):
	case s.isLast(addr, 1) || s.knows(rpRead, addr, 1):
		s.filtered++
	case !rpBusyHook(rpRead, addr, 1, getfp()):
		rpReadAt(unsafe.Pointer(addr), 1, nil)
	}
}

//go:nosplit
func racewrite(addr uintptr) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	switch {
	case s == nil || rpLocal(addr):
	case s.isLast(addr, 1) || s.knows(rpWrite, addr, 1):
		s.filtered++
	case !rpBusyHook(rpWrite, addr, 1, getfp()):
		rpWriteAt(unsafe.Pointer(addr), 1, nil)
	}
}

//go:nosplit
func racereadrange(addr, size uintptr) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	switch {
	case s == nil || rpLocal(addr) || rpConstant(addr):
	case s.isLast(addr, size) || s.knows(rpRead, addr, size):
		s.filtered++
	case !rpBusyHook(rpRead, addr, size, getfp()):
		rpReadAt(unsafe.Pointer(addr), size, nil)
	}
}

//go:nosplit
func racewriterange(addr, size uintptr) {
	s := (*rpG)(unsafe.Pointer(getg().racectx))
	switch {
	case s == nil || rpLocal(addr):
	case s.isLast(addr, size) || s.knows(rpWrite, addr, size):
		s.filtered++
	case !rpBusyHook(rpWrite, addr, size, getfp()):
		rpWriteAt(unsafe.Pointer(addr), size, nil)
	}
}

// rpConstant reports whether p is in the program's code or constants. A generic function reads its
// dictionary, which is there, before nearly everything that it does.
//
//go:nosplit
func rpConstant(p uintptr) bool {
	return p-rpText < rpDataStart-rpText
}

// rpHooks are the hooks that may grow the stack or be preempted.
var rpHooks = [...]*_func{
	findfunc(abi.FuncPCABIInternal(raceread))._func,
	findfunc(abi.FuncPCABIInternal(racewrite))._func,
	findfunc(abi.FuncPCABIInternal(racereadrange))._func,
	findfunc(abi.FuncPCABIInternal(racewriterange))._func,
}

// rpHookCalled reports whether f is one of the compiler's hooks, whose caller's frame may hold what
// is no pointer where its stack map has one.
func rpHookCalled(f *_func) bool {
	return f == rpHooks[0] || f == rpHooks[1] || f == rpHooks[2] || f == rpHooks[3]
}

// rpWholeStack is the beginning of a stack that is scanned conservatively as a whole; 0 for none.
var rpWholeStack uintptr

//go:nosplit
func racefuncenter(callpc uintptr) {}

//go:nosplit
func racefuncexit() {}
