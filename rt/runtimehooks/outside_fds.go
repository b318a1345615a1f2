//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// Which object a file descriptor belongs to. It is looked up at the descriptor's first use and
// remembered until the descriptor is closed, or its number is given out again. Everything here runs
// on the system stack.

// The kinds of objects behind descriptors.
const (
	rpFdUnknown = iota // not looked up yet
	rpFdNothing        // /dev/null and the like: what is written cannot be seen, and what is read is always the same or random
	rpFdWorld
	rpFdFile  // of a file system; no is its number among rpNames
	rpFdOwn   // what only this descriptor leads to: counters of events, timers, queues of signals, IP sockets without a port
	rpFdLink  // of a pipe or a connection; no is an index into rpLinks
	rpFdPort  // of an IP socket that is not connected by a stream; no is the index of its port in rpPorts, peer that of the other end if it is connected
	rpFdNamed // a Unix socket with a name; no is that of the name
)

// rpFd describes a descriptor.
type rpFd struct {
	kind      uint8
	inherited bool   // a child process gets it, too
	shows     bool   // of /proc, or the kernel tells its reader of the state of others' sockets
	passed    bool   // others have the same open file: they read on where this descriptor's reader stopped
	watches   bool   // its reader learns which files others open and read
	elsewhere bool   // rpFdPort, rpFdNamed: the other end is, or may be, in another process
	peer      uint32 // an index into rpPorts: rpFdPort: the other end's; of a connection: its own
	in, out   uint8  // rpFdLink: the ways that it reads from and writes to
	no        uint32
	dials     uint32 // the index of a port, plus 1, that it is about to be connected to
	open      uint32 // of rpFdFile and rpFdOwn: counts what was opened, which copies of a descriptor share
}

// rpMaxFd bounds the table. Descriptors beyond it are looked up each time, and the world is their
// object.
const rpMaxFd = 1 << 16

var (
	rpFdLock mutex // for all of the outside world's tables
	rpFds    *[rpMaxFd]rpFd
	rpFdTop  uintptr // those from here on were never used

	// rpClosingSeen is set once a file was locked, or files are watched: from then on others may
	// see that one is closed.
	rpClosingSeen bool
	// rpAnyFifo is set once there may be pipes with a name, which goroutines meet at when they open
	// them.
	rpAnyFifo bool
	// rpAnyChild is set once a child process was started: from then on the content of a file may
	// depend on what was written to others.
	rpAnyChild bool
	// rpAnyRing is set once calls can be made without a system call of their own (io_uring): every
	// descriptor is the world's, too.
	rpAnyRing bool
	// rpAnyLinger and rpAnyLowWater are set once a socket that was no connection yet was asked for
	// what rpLink.slow and rpLink.many say.
	rpAnyLinger, rpAnyLowWater bool
)

// Descriptors, calls and constants of the operating system.
const (
	rpEBADF         = 9
	rpENFILE        = 23
	rpEMFILE        = 24
	rpEPIPE         = 32
	rpEADDRINUSE    = 98
	rpEADDRNOTAVAIL = 99
	rpECONNABORTED  = 103 // then ECONNRESET, ENOBUFS, EISCONN, ENOTCONN,
	rpESHUTDOWN     = 108
	rpECONNREFUSED  = 111
	rpEINPROGRESS   = 115

	rpCloseRangeCloexec = 4

	rpSIGPIPE = 13

	rpOCreate  = 0x40
	rpOExcl    = 0x80
	rpOTrunc   = 0x200
	rpOCloexec = 0x80000
	rpOTmpfile = 0x400000
	rpSIFMT    = 0xf000
	rpSIFIFO   = 0x1000
	rpSIFCHR   = 0x2000
	rpSIFDIR   = 0x4000
	rpSIFBLK   = 0x6000
	rpSIFREG   = 0x8000
	rpSIFSOCK  = 0xc000
)

// rpSysFstat and its like are numbers of system calls.
const (
	rpSysFstat       = 5*goarch.IsAmd64 + 80*goarch.IsArm64
	rpSysGetsockname = 51*goarch.IsAmd64 + 204*goarch.IsArm64
	rpSysGetpeername = 52*goarch.IsAmd64 + 205*goarch.IsArm64
	rpSysGetsockopt  = 55*goarch.IsAmd64 + 209*goarch.IsArm64
	rpSysFcntl       = 72*goarch.IsAmd64 + 25*goarch.IsArm64
)

// rpStat is the part of struct stat that matters here.
type rpStat struct {
	dev, ino uint64
	mode     uint32
	rdev     uint64
}

func rpFstat(fd uintptr) (st rpStat, ok bool) {
	var b [18]uint64
	if _, _, e := linux.Syscall6(rpSysFstat, fd, uintptr(unsafe.Pointer(&b)), 0, 0, 0, 0); e != 0 {
		return st, false
	}
	st.dev, st.ino = b[0], b[1]
	if goarch.IsAmd64 != 0 {
		st.mode, st.rdev = uint32(b[3]), b[5]
	} else {
		st.mode, st.rdev = uint32(b[2]), b[4]
	}
	return st, true
}

// rpFdAt is the table's entry of fd, nil if it has none.
func rpFdAt(fd uintptr) *rpFd {
	if rpFds == nil {
		rpFds = (*[rpMaxFd]rpFd)(sysAlloc(unsafe.Sizeof(*rpFds), &memstats.other_sys, "racepred descriptors"))
	}
	if rpFds == nil || fd >= rpMaxFd {
		return nil
	}
	rpFdTop = max(rpFdTop, fd+1)
	return &rpFds[fd]
}

// rpFdReset clears the entry of fd, which is about to be closed, or is new. inherited says whether
// child processes get a new one.
func rpFdReset(fd uintptr, inherited bool) {
	f := rpFdAt(fd)
	if f == nil {
		return
	}
	switch f.kind {
	case rpFdLink:
		rpLinkLeave(f.no)
	case rpFdPort:
		if rpPorts[f.no].n--; rpPorts[f.no].n == 0 {
			rpPorts[f.no] = rpPort{}
		}
	}
	if f.watches && !f.passed && !(f.inherited && rpAnyChild) {
		atomic.Xadd(&rpWatchers, -1)
	}
	*f = rpFd{inherited: inherited}
}

// rpFdLook returns the description of fd.
func rpFdLook(fd uintptr) rpFd {
	f := rpFdAt(fd)
	if f == nil {
		return rpFd{kind: rpFdWorld}
	}
	if f.kind != rpFdUnknown {
		return *f
	}
	if fd == 1 || fd == 2 {
		if !rpOutputsSeen {
			return rpFd{kind: rpFdNothing}
		}
	}
	now, lasting := rpFdFind(fd, f.inherited)
	now.inherited, now.passed, now.dials = f.inherited, f.passed, f.dials
	if !lasting {
		return now
	}
	rpOpened++
	now.open = rpOpened
	*f = now
	return now
}

// rpOpened counts what was opened and looked up.
var rpOpened uint32

// rpFdCopy makes to, a new descriptor, a copy of from.
func rpFdCopy(s *rpG, from, to uintptr, inherited bool) {
	f := rpFdLook(from)
	rpFdReset(to, inherited)
	t := rpFdAt(to)
	if t == nil {
		s.passesOn(from)
		return
	}
	if at := rpFdAt(from); at != nil && at.kind != rpFdUnknown { // the system may not say any more what it was
		*t = f
		t.inherited = inherited
		switch f.kind {
		case rpFdLink:
			rpLinks[f.no].refs++
			rpLinks[f.no].shared = rpLinks[f.no].shared || inherited
		case rpFdPort:
			rpPorts[f.no].n++
		}
	} else {
		rpFdLook(to)
		t.open, t.passed = f.open, f.passed
	}
	if f.watches {
		t.watches = true
		atomic.Xadd(&rpWatchers, 1)
	}
}

// opened is the object of what was opened, or of the descriptor.
func (f *rpFd) opened() uintptr { return rpOpenAt + uintptr(f.open%rpNames)*8 }

// movesOn adds what is done to the object of fd, and that the next read or write goes on elsewhere,
// in a file, or that fd is open (X9).
func (c *rpActs) movesOn(fd, how uintptr) {
	f := rpFdLook(fd)
	c.actOn(f, how)
	switch {
	case f.kind == rpFdFile:
		c.act(f.opened(), rpChanges)
	case how&rpTakes != 0:
		c.readsOf(f)
	}
}

// readsOf adds that a read of a pipe or connection keeps its place beside closes of its descriptor.
// (X9)
func (c *rpActs) readsOf(f rpFd) {
	if f.kind == rpFdLink {
		c.act(f.opened(), rpIsTold|rpLate)
	}
}

// rpFdFind asks the system what fd is, and reports whether it stays that.
func rpFdFind(fd uintptr, inherited bool) (f rpFd, lasting bool) {
	st, ok := rpFstat(fd)
	if !ok {
		return rpFd{kind: rpFdWorld}, false
	}
	switch st.mode & rpSIFMT {
	case rpSIFREG, rpSIFDIR, rpSIFBLK:
		return rpFd{kind: rpFdFile, no: rpHash(st.dev, st.ino) % rpNames}, true
	case rpSIFIFO:
		no, _ := rpLinkFind(rpLinkKey{st.dev, st.ino}, inherited)
		if no == 0 {
			return rpFd{kind: rpFdWorld}, false
		}
		return rpFd{kind: rpFdLink, no: no}, true
	case rpSIFSOCK:
		return rpSocketFind(fd, st, inherited)
	case rpSIFCHR:
		switch st.rdev {
		case 1<<8 | 3, 1<<8 | 5, 1<<8 | 7, 1<<8 | 8, 1<<8 | 9: // null, zero, full, random, urandom
			return rpFd{kind: rpFdNothing}, true
		}
	}
	if st.mode&rpSIFMT == 0 {
		return rpFd{kind: rpFdOwn}, true
	}
	return rpFd{kind: rpFdWorld}, true
}

// rpWanted reports whether the program handles a signal (os/signal).
func rpWanted(signal uint32) bool { return atomic.Load(&sig.wanted[signal/32])&(1<<(signal%32)) != 0 }

// rpNames is how many objects there are for files, and for names: two that share one are ordered as
// if they were the same.
const rpNames = 1 << 12

func rpHash(a, b uint64) uint32 {
	h := (a*0x9E3779B97F4A7C15 ^ b) * 0xD6E8FEB86659FD93
	h ^= h >> 32
	return uint32(h * 0x9E3779B97F4A7C15 >> 32)
}

// fdActs adds what is done to the object of fd.
func (c *rpActs) fdActs(fd, how uintptr) { c.actOn(rpFdLook(fd), how) }

func (c *rpActs) actOn(f rpFd, how uintptr) {
	edges := how & (rpGives | rpTakes)
	if f.passed || f.inherited && rpAnyChild {
		how |= rpTells
	}
	if f.shows {
		c.act(rpAllSeen, rpIsTold)
	}
	switch f.kind {
	case rpFdNothing:
	case rpFdFile:
		// (X2) What is written to two files commutes, but not what is written to one.
		if how&(rpTells|rpChanges) != 0 {
			c.act(rpFileAt+uintptr(f.no)*8, rpChanges|edges)
		} else {
			c.act(rpFileAt+uintptr(f.no)*8, edges)
		}
		if !rpAnyChild {
			how &^= rpTakes // no other process writes there what depends on this one
		}
		c.act(rpWorld, how)
	case rpFdOwn:
		// What is written to two of them commutes, and a reader of one sees that one only.
		c.act(f.opened(), rpChanges|edges)
		if f.inherited || f.passed {
			how |= rpChanges
		}
		c.act(rpWorld, how)
	default:
		c.selfActs(f, edges)
		if f.outside() {
			c.act(rpWorld, rpChanges|edges)
		}
	}
	if edges&rpGives != 0 && f.kind != rpFdFile && rpWanted(rpSIGPIPE) {
		c.act(rpWorld, rpTells) // the process that gets the signal learns that the other end is gone; after its pins at the ends
	}
}

// selfActs adds a change of f's own object, whatever process has the other end.
func (c *rpActs) selfActs(f rpFd, edges uintptr) {
	how := rpChanges | edges
	switch f.kind {
	case rpFdFile:
		c.act(rpFileAt+uintptr(f.no)*8, how)
	case rpFdLink:
		c.actsOnLink(f, edges)
	case rpFdPort:
		c.act(rpPortObject(f.no), how)
		if f.peer != 0 && f.peer != f.no {
			c.act(rpPortObject(f.peer), how)
		}
	case rpFdNamed:
		c.act(rpNameAt+uintptr(f.no)*8, how)
	case rpFdOwn:
		c.act(f.opened(), how)
	case rpFdWorld:
		c.act(rpWorld, how)
	}
}

// outside reports whether other processes may act on the object of f, or pass on what they get from
// it (X3).
func (f *rpFd) outside() bool {
	switch f.kind {
	case rpFdLink:
		return !rpLinks[f.no].both()
	case rpFdNothing:
		return false
	}
	return f.elsewhere || f.inherited || rpAnyRing ||
		f.kind == rpFdPort && (rpPorts[f.no].shared || rpPorts[f.peer].shared) || f.kind == rpFdNamed && rpNamesShared[f.no]
}
