//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/syscall/linux"
	"unsafe"
)

// Pipes and connections: objects of their own as long as no other process can act on them (X3).

// rpLinkKey names a pipe (device, inode) or a connection (a sum over both of its addresses).
type rpLinkKey struct{ a, b uint64 }

// rpLink is a pipe or connection that descriptors of this process belong to.
type rpLink struct {
	key    rpLinkKey
	names  uint32 // this place only names another one: a pair of sockets has two inodes
	named  uint32 // the place that names this one
	refs   uint32 // descriptors; 0: the place is free
	first  uint64 // of a connection: the inode of the end that was seen first
	whole  bool   // both ends are in this process
	shared bool   // another process has an end, too, or the kernel watches one
	closed bool   // a close or shutdown of a descriptor has begun (X9)
	slow   bool   // a close may wait for the other end
	many   bool   // a read may wait for more than a byte
	before bool   // the place is free, and was not always
}

func (e *rpLink) both() bool { return e.whole && !e.shared && !rpAnyRing }

// rpMaxLinks bounds the pipes and connections that are open at a time. Those beyond belong to the
// world.
const rpMaxLinks = 1 << 14

var rpLinks *[rpMaxLinks]rpLink // 0 is none

// rpLinkHome is where to look for a key first. Places are probed one after the other; as many as
// rpLinkProbes, taken or free.
func rpLinkHome(k rpLinkKey) uint32 { return rpHash(k.a, k.b) % rpMaxLinks }

const rpLinkProbes = 64

// rpLinkFind is the index of the pipe or connection, with one more descriptor; 0 when there is no
// room. other says that the key is that of the place that only names it.
func rpLinkFind(k rpLinkKey, inherited bool) (no uint32, other bool) {
	if rpLinks == nil {
		rpLinks = (*[rpMaxLinks]rpLink)(sysAlloc(unsafe.Sizeof(*rpLinks), &memstats.other_sys, "racepred connections"))
		if rpLinks == nil {
			return 0, false
		}
	}
	free := uint32(0)
	for i := range uint32(rpLinkProbes) {
		no := (rpLinkHome(k) + i) % rpMaxLinks
		if no == 0 {
			continue
		}
		e := &rpLinks[no]
		switch {
		case e.refs != 0 && e.key == k:
			if other = e.names != 0; other {
				no = e.names
				e = &rpLinks[no]
			}
			e.refs++
			e.shared = e.shared || inherited
			return no, other
		case e.refs == 0 && free == 0:
			free = no
		}
	}
	if free != 0 {
		if rpLinks[free].before {
			rpLinkAfresh(free)
		}
		rpLinks[free] = rpLink{key: k, refs: 1, shared: inherited}
	}
	return free, false
}

// rpLinkAfresh records that a place's objects have nothing to do with those of the pipe or
// connection that had it before. It comes with the next one, and not with the last close, which
// others need not come before.
func rpLinkAfresh(no uint32) {
	if s := (*rpG)(unsafe.Pointer(getg().m.curg.racectx)); s != nil && s.ignore == 0 {
		s.room()
		s.ticket(rpAlloc, rpLinkWay(no, 0), rpLinkBytes, 0)
	}
}

// rpLinkLeave counts one descriptor less. With the last one the place is free.
func rpLinkLeave(no uint32) {
	e := &rpLinks[no]
	if e.refs--; e.refs != 0 {
		return
	}
	if e.named != 0 {
		rpLinks[e.named] = rpLink{before: true}
	}
	*e = rpLink{before: true}
}

// rpLinkWay is the object of what is under way to one of the ends, and rpLinkEnds that of whether
// the ends are open. (X9) A pipe has one way.
func rpLinkWay(no uint32, way uint8) uintptr {
	return rpLinkAt + uintptr(no)*rpLinkBytes + uintptr(way)*(rpLinkBytes/2)
}
func rpLinkEnds(no uint32) uintptr { return rpLinkWay(no, 0) + 4 }

const rpLinkBytes = 16 // of places for objects

// actsOnLink adds a change of what is under way in a pipe or connection, in the direction that the
// edges say, or both, and a look at its ends.
func (c *rpActs) actsOnLink(f rpFd, edges uintptr) {
	if edges != rpGives {
		c.act(rpLinkWay(f.no, f.in), rpChanges|edges&rpTakes)
	}
	if edges != rpTakes {
		c.act(rpLinkWay(f.no, f.out), rpChanges|edges&rpGives)
	}
	how := uintptr(rpIsTold | rpLate)
	switch {
	case rpLinks[f.no].closed && edges == rpGives: // it may reset the connection, which calls find out that do nothing on the same way
		how = rpChanges
	case rpWanted(rpSIGPIPE): // the signal comes before the end of the call
		how = rpIsTold
	}
	c.act(rpLinkEnds(f.no), how)
}

// closesLink adds the acts of closing a descriptor of a pipe or connection, or of shutting its end
// down.
func (c *rpActs) closesLink(f rpFd, shutdown bool) {
	e := &rpLinks[f.no]
	e.closed = true
	how := uintptr(rpTells) // which end was closed first does not show
	if shutdown {           // but a shutdown fails after a reset
		how = rpChanges
	}
	if e.slow || rpAnyLinger { // it waits for the other end
		how = rpChanges
		c.act(rpLinkWay(f.no, f.in), rpChanges)
		c.act(rpLinkWay(f.no, f.out), rpChanges)
	}
	c.act(rpLinkEnds(f.no), how|rpGives)
	c.act(f.opened(), rpChanges)
	if f.peer != 0 && rpPorts[f.peer].n == 0 && !shutdown {
		rpPortsTaken[f.peer] = true // until now
	}
	if f.outside() {
		c.act(rpWorld, rpChanges|rpGives)
	}
}

// What a call found out of the ends of what it acted on.
const (
	rpEndsUnseen  = iota
	rpEndsSkipped // nothing, though one was closed: it returned bytes
	rpEndsFound   // one is closed
)

// seesEnds is for the end of a call. One that found an end closed comes after the close in
// happens-before, too, by whatever it fails with. What was given away while the call lasted is the
// world's.
func (c *rpActs) seesEnds(found int, failed bool) {
	takes := uintptr(0)
	if found == rpEndsFound {
		takes = rpTakesAnyway
	}
	for i := range c.at[:c.n] {
		a := &c.at[i]
		link := a.object >= rpLinkAt && a.object < rpPortAt
		if (link || failed) && a.object != rpAllSeen {
			a.how |= takes
		}
		if !link {
			continue
		}
		e := &rpLinks[(a.object-rpLinkAt)/rpLinkBytes]
		if e.refs != 0 && !e.both() {
			c.act(rpWorld, rpChanges|a.how&rpTakes|takes)
		}
		if a.object%8 == 0 || e.refs != 0 && !e.closed {
			continue
		}
		if found == rpEndsSkipped && !e.many && !rpAnyLowWater {
			a.how = 0
		} else {
			a.how |= rpChanges // the next call may find another error, or none
		}
	}
}

// passesOn notes that from now on others than this process's calls act on fd, or its other end.
// They learn of all that was done so far, and the goroutine goes on as if it had learned that, too.
func (s *rpG) passesOn(fd uintptr) {
	f := rpFdLook(fd)
	var one rpActs
	one.actOn(f, rpChanges)
	for i := range one.at[:one.n] {
		if a := &one.at[i]; a.object != rpWorld {
			s.pinOutside(a.object, a.how)
			s.sync(rpAcquire, a.object, 0)
		}
	}
	s.sync(rpReleaseMerge, rpWorld, 0)
	s.pinOutside(rpWorld, rpChanges)
	switch f.kind {
	case rpFdFile, rpFdOwn:
		for i := range rpFdTop { // and its copies
			if g := &rpFds[i]; g.kind == f.kind && g.open == f.open {
				g.passed = true
			}
		}
	case rpFdLink:
		rpLinks[f.no].shared = true
	case rpFdPort:
		rpPorts[f.no].shared = true
	case rpFdNamed:
		rpNamesShared[f.no] = true
	}
}

// waitsAndPasses is for a call that moves data from one descriptor to another, and may wait for it.
// What it moves may be read, and the reader go on, before anything is recorded of its end, and be
// written after all that is recorded of its beginning. So both are the world's from now on.
func (s *rpG) waitsAndPasses(from, to uintptr) {
	const nonblock = 0x800
	if f := rpFdLook(from); f.kind == rpFdFile || f.kind == rpFdNothing {
		return
	}
	if flags, _, e := linux.Syscall6(rpSysFcntl, from, rpFGetfl, 0, 0, 0, 0); e == 0 && flags&nonblock != 0 {
		return
	}
	s.passesOn(from)
	s.passesOn(to)
}
