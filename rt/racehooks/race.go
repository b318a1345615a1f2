//go:build racepred_seam

package race

import (
	"internal/abi"
	"unsafe"
)

// Enabled switches on the annotations of the standard library.
const Enabled = true

// Never is false: it stands where the library behaves differently under the
// race detector for that detector's own sake.
const Never = false

// The kinds of atomic operations that AtomicEnd takes.
const (
	AtomicLoad = iota
	AtomicStore
	AtomicRMW
	AtomicAdd // the result is thrown away
	AtomicAnd
	AtomicOr

	AtomicNone = -1 // nothing is to be recorded
)

// Package runtime provides the bodies.

//go:linkname Acquire
//go:noescape
func Acquire(addr unsafe.Pointer)

//go:linkname Release
//go:noescape
func Release(addr unsafe.Pointer)

//go:linkname ReleaseMerge
//go:noescape
func ReleaseMerge(addr unsafe.Pointer)

//go:linkname Disable
func Disable()

//go:linkname Enable
func Enable()

//go:linkname Read
//go:noescape
func Read(addr unsafe.Pointer)

// Adds is an atomic write that orders nothing: an Add to a count of zero races with a Wait, which
// reads, and not with other Adds.
//
//go:linkname Adds
//go:noescape
func Adds(addr unsafe.Pointer)

// ReadPC and WritePC are what maps call at every look.

func ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) {
	if !near(addr) {
		readPC(addr, callerpc)
	}
}

func WritePC(addr unsafe.Pointer, callerpc, pc uintptr) {
	if !near(addr) {
		writePC(addr, callerpc)
	}
}

// near reports whether addr is on the stack, which no other goroutine can reach, and not far from
// here. Stacks are made of blocks of 2 KiB.
func near(addr unsafe.Pointer) bool {
	var here byte
	return uintptr(addr)^uintptr(unsafe.Pointer(&here)) < 2<<10
}

//go:linkname readPC
//go:noescape
func readPC(addr unsafe.Pointer, callerpc uintptr)

//go:linkname writePC
//go:noescape
func writePC(addr unsafe.Pointer, callerpc uintptr)

//go:linkname ReadObjectPC
//go:noescape
func ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr)

//go:linkname Write
//go:noescape
func Write(addr unsafe.Pointer)

//go:linkname WriteObjectPC
//go:noescape
func WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr)

//go:linkname ReadRange
//go:noescape
func ReadRange(addr unsafe.Pointer, len int)

//go:linkname WriteRange
//go:noescape
func WriteRange(addr unsafe.Pointer, len int)

// ReadBool and WriteBool are for unrecorded packages.

func ReadBool(p *bool)  { ReadRange(unsafe.Pointer(p), 1) }
func WriteBool(p *bool) { WriteRange(unsafe.Pointer(p), 1) }

//go:linkname Errors
func Errors() int

// Lock, Unlock, RLock, RUnlock bound critical sections of the lock at addr.

func Lock(addr unsafe.Pointer)    { takes(addr, lock) }
func Unlock(addr unsafe.Pointer)  { gives(addr, unlock) }
func RLock(addr unsafe.Pointer)   { takes(addr, rlock) }
func RUnlock(addr unsafe.Pointer) { gives(addr, runlock) }

// Tried and RTried are Lock and RLock of an attempt that succeeded: its goroutine would have gone
// on without the lock.

func Tried(addr unsafe.Pointer)  { takes(addr, tried) }
func RTried(addr unsafe.Pointer) { takes(addr, rtried) }

// TryFail says that an attempt on the lock at addr failed.
func TryFail(addr unsafe.Pointer) { takes(addr, tryFail) }

// TryFailed is TryFail for a return statement: it returns false. TryRFailed is that of an attempt
// in read mode.
func TryFailed(addr unsafe.Pointer) bool {
	TryFail(addr)
	return false
}

func TryRFailed(addr unsafe.Pointer) bool {
	takes(addr, tryRFail)
	return false
}

// In the order of the recorder's kinds.
const (
	lock = iota
	unlock
	rlock
	runlock
	tryFail
	tryRFail // from here on the recorder has no kinds of its own
	tried
	rtried
)

//go:linkname takes
//go:noescape
func takes(addr unsafe.Pointer, kind uint64)

//go:linkname gives
//go:noescape
func gives(addr unsafe.Pointer, kind uint64)

// PoolPut and PoolGet say that a pool takes, or gives back, the value of the interface whose
// pointer is p. For values outside of the heap and the data, which may be the same ones everywhere,
// hash is taken instead of p.

//go:linkname PoolPut
//go:noescape
func PoolPut(p, hash unsafe.Pointer)

//go:linkname PoolGet
//go:noescape
func PoolGet(p, hash unsafe.Pointer)

// PoolGives reports whether a pool gives its value to the goroutine that asks; the pointer of the
// value's interface is p.
//
//go:linkname PoolGives
//go:noescape
func PoolGives(pool, p unsafe.Pointer) bool

// Unseen begins or ends a part of the running goroutine's code that finds nothing in other
// goroutines' synchronization that anybody looks at, and returns whether it was in one. What the
// part releases, others may well look at. It has no calls of user code.
//
//go:linkname Unseen
func Unseen(begin bool) (was bool)

// Change tells that the object at addr changes, which keeps its place among the changes of that
// object.
//
//go:linkname Change
//go:noescape
func Change(addr unsafe.Pointer)

// New tells that the memory at p is used as if it were new: nothing of what it held before is seen.
//
//go:linkname New
//go:noescape
func New(p unsafe.Pointer, size int)

// NewValue is New for what a pointer in an interface points to, and for the arrays of the slices in
// that.
func NewValue(x *any) {
	e := (*[2]unsafe.Pointer)(unsafe.Pointer(x))
	if e[1] == nil || (*abi.Type)(e[0]).Kind() != abi.Pointer {
		return
	}
	t := (*abi.PtrType)(e[0]).Elem
	New(e[1], int(t.Size_))
	switch t.Kind() {
	case abi.Slice:
		newArray(t, e[1])
	case abi.Struct:
		for _, f := range (*abi.StructType)(unsafe.Pointer(t)).Fields {
			if f.Typ.Kind() == abi.Slice {
				newArray(f.Typ, unsafe.Add(e[1], f.Offset))
			}
		}
	}
}

// newArray is New for the array of the slice at p.
func newArray(t *abi.Type, p unsafe.Pointer) {
	s := (*struct {
		array    unsafe.Pointer
		len, cap int
	})(p)
	New(s.array, s.cap*int((*abi.SliceType)(unsafe.Pointer(t)).Elem.Size_))
}

// Opaque announces a call of unrecorded code.
//
//go:linkname Opaque
func Opaque()

// Told tells that an operation failed because of what other goroutines did.
//
//go:linkname Told
func Told()

// Setting tells that something is set, or read, of which there is one.
//
//go:linkname Setting
func Setting(sets bool)

// Weak says that a look through a weak pointer found something.
//
//go:linkname Weak
func Weak()

// AtomicBegin and AtomicEnd enclose an atomic operation at addr: between them
// nothing else is recorded for addr.

//go:linkname AtomicBegin
//go:noescape
func AtomicBegin(addr unsafe.Pointer) uintptr

//go:linkname AtomicEnd
//go:noescape
func AtomicEnd(h uintptr, addr unsafe.Pointer, size uintptr, kind int)
