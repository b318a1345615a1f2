//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"unsafe"
)

// rpStubSize is how long a stub is, in bytes.
const rpStubSize = goarch.IsAmd64*11 + goarch.IsArm64*8

// rpStubs is where the first stub begins: each has its number in a register, and goes on at
// rpThrough.
func rpStubs()

// rpThrough calls rpCalledMethod if the goroutine holds a lock and its section is not recorded as
// opaque yet, and jumps to the method.
func rpThrough()

// rpStub is where stub n begins.
func rpStub(n uintptr) uintptr { return abi.FuncPCABIInternal(rpStubs) + n*rpStubSize }

// rpCalledMethod is called by a stub, which has all registers in its frame. The goroutine's stack
// must not be scanned or moved meanwhile, since it is not known which of them are pointers.
//
//go:nosplit
func rpCalledMethod() {
	systemstack(rpNoteMethod)
}

func rpNoteMethod() {
	s := (*rpG)(unsafe.Pointer(getg().m.curg.racectx))
	if s != nil && s.ignore == 0 && s.quiet != rpQuiet {
		s.opaque(rpOpaque, nil)
	}
}
