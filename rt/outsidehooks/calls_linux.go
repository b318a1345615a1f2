//go:build racepred_seam && (amd64 || arm64)

package syscall

import "unsafe"

//go:linkname rpCallBegin runtime.rp_callBegin
func rpCallBegin(op uint8, a1, a2, a3, a4, a5, a6 uintptr)

//go:linkname rpCallEnd runtime.rp_callEnd
func rpCallEnd(r1, errno uintptr)

// rpPassedOn tells that a child process is about to get these descriptors.
//
//go:linkname rpPassedOn runtime.rp_passedOn
func rpPassedOn(fds []uintptr)

// rpExecs tells that the process is about to become another program.
//
//go:linkname rpExecs runtime.rp_execs
func rpExecs()

// rpOp is the table's entry for a call.
//
//go:nosplit
//go:norace
func rpOp(trap uintptr) uint8 {
	if trap < uintptr(len(rpCalls)) {
		return rpCalls[trap]
	}
	return rpCallBoth
}

// rpTransfers names the object that the annotations of this package's functions act on.
//
//go:linkname rpTransfers runtime.rp_transfers
func rpTransfers(address unsafe.Pointer)

func init() { rpTransfers(unsafe.Pointer(&ioSync)) }

// RacepredFcntl is the system call. A failed call returns -1 and its error.
func RacepredFcntl(fd, cmd, arg int) (value, errno int32) {
	r, _, e := Syscall(SYS_FCNTL, uintptr(fd), uintptr(cmd), uintptr(arg))
	return int32(r), int32(e)
}
