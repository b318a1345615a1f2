//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import "unsafe"

// Pipes and connections: objects of their own as long as no other process can act on them (X3).

// rpLinkKey names a pipe (device, inode) or a connection (a sum over both of its addresses).
type rpLinkKey struct{ a, b uint64 }

// rpLink is a pipe or connection that descriptors of this process belong to.
type rpLink struct {
	key    rpLinkKey
	names  uint32    // this place only names another one: a pair of sockets has two inodes
	named  uint32    // the place that names this one
	refs   uint32    // descriptors; 0: the place is free
	first  uint64    // of a connection: the inode of the end that was seen first
	ports  [2]uint16 // of a connection
	whole  bool      // both ends are in this process
	shared bool      // another process has an end, too, or the kernel watches one
	closed bool      // a close of a descriptor has begun (X9)
	before bool      // the place is free, and was not always
}

func (e *rpLink) both() bool { return e.whole && !e.shared && !rpAnyRing }

// rpMaxLinks bounds the pipes and connections that are open at a time. Those beyond belong to the world.
const rpMaxLinks = 1 << 14

var rpLinks *[rpMaxLinks]rpLink // 0 is none

// rpLinkHome is where to look for a key first. Places are probed one after the other; as many as rpLinkProbes, taken or free.
func rpLinkHome(k rpLinkKey) uint32 { return rpHash(k.a, k.b) % rpMaxLinks }

const rpLinkProbes = 64

// rpLinkFind is the index of the pipe or connection, with one more descriptor; 0 when there is no room.
func rpLinkFind(k rpLinkKey, inherited bool) uint32 {
	if rpLinks == nil {
		rpLinks = (*[rpMaxLinks]rpLink)(sysAlloc(unsafe.Sizeof(*rpLinks), &memstats.other_sys, "racepred connections"))
		if rpLinks == nil {
			return 0
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
			if e.names != 0 {
				no = e.names
				e = &rpLinks[no]
			}
			e.refs++
			e.shared = e.shared || inherited
			return no
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
	return free
}

// rpLinkAfresh records that a place's objects have nothing to do with those of the pipe or connection that had it before. It comes with the next one, and not with the last
// close, which others need not come before.
func rpLinkAfresh(no uint32) {
	if s := (*rpG)(unsafe.Pointer(getg().m.curg.racectx)); s != nil && s.ignore == 0 {
		s.room()
		s.ticket(rpAlloc, rpLinkObject(no), 8, 0)
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

// rpLinkObject is the object of what is under way in a pipe or connection, and rpLinkEnds that of whether its ends are open. (X9)
func rpLinkObject(no uint32) uintptr { return rpLinkAt + uintptr(no)*8 }
func rpLinkEnds(no uint32) uintptr   { return rpLinkObject(no) + 4 }

// closesLink adds the acts of closing a descriptor of a pipe or connection.
func (c *rpActs) closesLink(f rpFd) {
	e := &rpLinks[f.no]
	e.closed = true
	c.act(rpLinkEnds(f.no), rpTells) // which end was closed first does not show
	c.act(f.opened(), rpChanges)
	if f.outside() {
		c.act(rpWorld, rpChanges)
	}
	for _, port := range e.ports {
		if port != 0 { // it may be free for others
			c.act(rpPortAt+uintptr(port)*8, rpTells)
		}
	}
}

// returned is for a read of a pipe or connection that returned bytes: if a close had begun before, it does not act on the ends' object.
func (c *rpActs) returned() {
	for i := range c.at[:c.n] {
		a := &c.at[i]
		if a.object >= rpLinkAt && a.object < rpPortAt && a.object%8 != 0 && rpLinks[(a.object-rpLinkAt)/8].closed {
			a.how = 0
		}
	}
}

// rpPassOn notes that from now on others than this process's calls act on fd, or its other end. They learn of all that was done so far.
func rpPassOn(fd uintptr) {
	f := rpFdLook(fd)
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
		rpPortsShared[f.no] = true
	case rpFdNamed:
		rpNamesShared[f.no] = true
	}
}
