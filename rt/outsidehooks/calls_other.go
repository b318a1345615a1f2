//go:build racepred_seam && (unix || windows) && !(linux && (amd64 || arm64))

package syscall

import "unsafe"

// On these systems only the library's own annotations of reads and writes tell of the outside
// world.

//go:linkname rpTransfers runtime.rp_transfers
func rpTransfers(address unsafe.Pointer)

// rpExecs tells that the process is about to become another program.
//
//go:linkname rpExecs runtime.rp_execs
func rpExecs()

func init() { rpTransfers(unsafe.Pointer(&ioSync)) }

func rpPassedOn(fds []uintptr) {}

// RacepredFcntl is the system call. A failed call returns -1 and its error.
func RacepredFcntl(fd, cmd, arg int) (value, errno int32) {
	return rpFcntl(int32(fd), int32(cmd), int32(arg))
}

//go:linkname rpFcntl runtime.fcntl
func rpFcntl(fd, cmd, arg int32) (value, errno int32)
