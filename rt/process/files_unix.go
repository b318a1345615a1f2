//go:build racepred_seam && unix

package process

import (
	"os"
	"syscall"
	"unsafe"

	"github.com/racepred/racepred/internal/protocol"
)

// The files of this process are opened and written by bare system calls. Package os takes locks for
// that, which another goroutine may hold for ever at the end of the process or during a drain.

// output is a file that is written from its beginning to its end.
type output struct{ fd int }

// create makes a file. It is an error if there is one.
func create(name string) (*output, error) { return open(name, syscall.O_EXCL) }

func open(name string, flags int) (*output, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_CREAT|syscall.O_WRONLY|syscall.O_APPEND|syscall.O_CLOEXEC|flags, 0o666)
		if err == nil {
			return &output{fd}, nil
		}
		if err != syscall.EINTR {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (n int, err error) {
	for n < len(b) {
		m, err := syscall.Write(o.fd, b[n:])
		if err != nil && err != syscall.EINTR && err != syscall.EAGAIN {
			return n, err
		}
		n += max(m, 0)
	}
	return n, nil
}

// replace makes a file with that content, at once: no other process sees a part of it.
func replace(name string, content []byte) error {
	tmp := name + ".tmp"
	o, err := open(tmp, syscall.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = o.Write(content)
	syscall.Close(o.fd)
	if err == nil {
		err = syscall.Rename(tmp, name)
	}
	return err
}

// share makes a file that begins with a page for a State, and then has that content. It returns the
// memory of the page.
func share(name string, content []byte) (*protocol.State, error) {
	fd, err := syscall.Open(name, syscall.O_CREAT|syscall.O_EXCL|syscall.O_RDWR|syscall.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	page := make([]byte, protocol.StateSize, protocol.StateSize+len(content))
	if _, err := syscall.Write(fd, append(page, content...)); err != nil { // not a hole, for which there might be no room later
		return nil, err
	}
	mem, err := syscall.Mmap(fd, 0, protocol.StateSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*protocol.State)(unsafe.Pointer(unsafe.SliceData(mem))), nil
}
