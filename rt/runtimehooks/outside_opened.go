//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// Descriptors that come and go: calls that open, close, copy and look at them.

// selfOf adds a change that only the users of fd itself see.
func (c *rpOutside) selfOf(fd uintptr) {
	f := rpFdLook(fd)
	c.selfActs(f, 0)
	if f.inherited {
		c.act(rpWorld, rpChanges)
	}
}

const (
	rpAtCwd         = ^uintptr(99)
	rpSysNewfstatat = 262*goarch.IsAmd64 + 79*goarch.IsArm64
	rpFDupfd        = 0
	rpFDupfdCloexec = 1030
	rpMmsghdrSize   = 64
	rpModeAt        = 3*goarch.IsAmd64 + 2*goarch.IsArm64 // in words of struct stat
	rpFdCloexec     = 1
	rpFGetfd        = 1
	rpFSetfd        = 2
	rpFGetfl        = 3
	rpFSetfl        = 4
	rpFGetlk        = 5
	rpFSetlkw       = 7
	rpFOfdGetlk     = 36
	rpFOfdSetlkw    = 38
	rpFSetown       = 8
	rpFSetsig       = 10
	rpFSetownEx     = 15
	rpFSetlease     = 1024
	rpFNotify       = 1026
	rpOAsync        = 0x2000
)

// opens adds the acts of opening a path. A file that may be made, or emptied, is changed. The call
// does not see whether the file existed, unless it asks for a new one. Opening a pipe by its name
// waits for the one that opens its other end.
func (c *rpOutside) opens(dir, path, flags uintptr) {
	how := uintptr(rpIsTold)
	switch {
	case flags&rpOTmpfile == rpOTmpfile:
		how = rpTells
	case flags&(rpOCreate|rpOExcl) == rpOCreate|rpOExcl:
		c.names(dir, path, true)
		how = rpTells
	case flags&rpOCreate != 0:
		c.names(dir, path, false)
		how = rpTells
	case flags&rpOTrunc != 0:
		how = rpTells
	}
	if rpAnyFifo {
		var b [18]uint64
		_, _, e := linux.Syscall6(rpSysNewfstatat, dir, path, uintptr(unsafe.Pointer(&b)), 0, 0, 0)
		if e == 0 && b[rpModeAt]&rpSIFMT == rpSIFIFO {
			how = rpChanges
		}
	}
	c.act(rpWorld, how)
	if rpShows(path) {
		c.act(rpAllSeen, rpIsTold)
	}
}

// sees adds the acts of looking at a path.
func (c *rpOutside) sees(path uintptr) {
	c.act(rpWorld, rpIsTold)
	if rpShows(path) {
		c.act(rpAllSeen, rpIsTold)
	}
}

// rpShows reports whether a path leads to /proc, which shows the state of this process: its
// descriptors, its memory, its connections.
func rpShows(path uintptr) bool {
	const proc = "/proc"
	if path == 0 {
		return false
	}
	for i := range len(proc) {
		if *(*byte)(unsafe.Pointer(path + uintptr(i))) != proc[i] {
			return false
		}
	}
	return true
}

func (c *rpOutside) opened(fd uintptr, failed bool) {
	if failed {
		c.seesAfterAll()
		return
	}
	flags := c.args[1]
	if c.op == rpCallOpenAt {
		flags = c.args[2]
	}
	rpFdReset(fd, flags&rpOCloexec == 0)
	path := c.args[0]
	if c.op == rpCallOpenAt {
		path = c.args[1]
	}
	if rpShows(path) {
		rpFdLook(fd)
		if f := rpFdAt(fd); f != nil {
			f.shows = true
		}
	}
	if flags&rpOTrunc != 0 {
		if f := rpFdLook(fd); f.kind == rpFdFile {
			c.selfActs(f, 0)
		}
	}
}

// closes adds the acts of closing fd: the other end of a pipe or connection sees the end, and a
// process that waits for a lock of a file gets it. Otherwise the closing of a file cannot be seen.
func (c *rpOutside) closes(fd uintptr) {
	switch f := rpFdLook(fd); {
	case f.kind == rpFdLink:
		c.closesLink(f, false)
	case f.kind == rpFdNamed:
		c.actOn(f, rpChanges|rpGives)
	case f.kind == rpFdPort:
		c.actOn(f, rpChanges)
		c.act(rpWorld, rpTells|rpGives) // another process may wait for the port
	case f.kind != rpFdFile || rpClosingSeen:
		c.actOn(f, rpChanges)
	}
}

// made notes a new descriptor for an object that has one already.
func (c *rpOutside) made(s *rpG, fd uintptr, inherited, failed bool) {
	if failed {
		return
	}
	rpFdCopy(s, c.args[0], fd, inherited)
}

// seesAfterAll is for a call that failed because of what others did: it sees all objects that it
// changes.
func (c *rpOutside) seesAfterAll() {
	for i := range c.at[:c.n] {
		if a := &c.at[i]; a.how&rpTells != 0 {
			a.how |= rpChanges
		}
	}
}

// copies reports whether the call is an fcntl that makes a new descriptor for an open one.
func (c *rpOutside) copies() bool {
	return c.op == rpCallFcntl && (c.args[1] == rpFDupfd || c.args[1] == rpFDupfdCloexec)
}

func (c *rpOutside) fcntl(s *rpG) {
	a := &c.args
	switch cmd := a[1]; {
	case c.copies(), cmd == rpFGetfd:
	case cmd == rpFSetfd:
		if a[2]&rpFdCloexec == 0 {
			s.passesOn(a[0])
		}
	case cmd == rpFSetown, cmd == rpFSetsig, cmd == rpFSetownEx, cmd == rpFSetfl && a[2]&rpOAsync != 0:
		c.signals(s, a[0])
	case cmd == rpFSetlease, cmd == rpFNotify:
		c.act(rpWorld, rpChanges)
		atomic.Xadd(&rpWatchers, 1) // for good
	case cmd == rpFGetfl, cmd == rpFSetfl:
		c.selfOf(a[0])
	case cmd >= rpFGetlk && cmd <= rpFSetlkw, cmd >= rpFOfdGetlk && cmd <= rpFOfdSetlkw:
		rpClosingSeen = true
		c.fdActs(a[0], rpChanges)
	default:
		c.fdActs(a[0], rpChanges)
	}
}

// signals adds that there will be a signal when something is done to the object of fd.
func (c *rpOutside) signals(s *rpG, fd uintptr) {
	s.passesOn(fd)
	c.fdActs(fd, rpChanges)
	c.act(rpWorld, rpChanges)
}

// watching notes a new descriptor by which files are watched.
func (c *rpOutside) watching(fd uintptr) {
	const fanCloexec = 1
	rpFdReset(fd, c.args[0]&(rpOCloexec|fanCloexec) == 0)
	rpFdLook(fd)
	atomic.Xadd(&rpWatchers, 1)
	if f := rpFdAt(fd); f != nil {
		f.watches = true
	}
}

// rpPipeMade notes that a pipe was made. Only this process has it if children do not inherit it.
func rpPipeMade(fds uintptr, inherited bool) {
	for i := range uintptr(2) {
		fd := uintptr(*(*int32)(unsafe.Pointer(fds + i*4)))
		rpFdReset(fd, inherited)
		f := rpFdLook(fd)
		if f.kind != rpFdLink {
			return
		}
		rpLinks[f.no].whole = i == 1
	}
}
