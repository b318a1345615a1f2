//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import "unsafe"

// Calls on sockets that take or give an address.

// rpMsghdr is struct msghdr.
type rpMsghdr struct {
	name       uintptr
	namelen    uint32
	_          uint32
	iov        uintptr
	iovlen     uintptr
	control    uintptr
	controllen uintptr
	flags      int32
}

// reaches adds the acts of a call that looks for the socket with that address.
func (c *rpOutside) reaches(to *rpSockaddr, protocol uint32, ok bool, how uintptr) {
	if !ok {
		c.act(rpWorld, how)
		return
	}
	if no, named := to.name(); named {
		c.act(rpNameAt+uintptr(no)*8, how)
		c.act(rpWorld, how) // a file system has the name, too
		return
	}
	e, ip := to.endpoint()
	if !ip {
		c.act(rpWorld, how)
		return
	}
	c.act(rpPortObject(e.place(protocol)), how)
	if !e.here(protocol) {
		c.act(rpWorld, how)
	}
}

// sends adds the acts of sending data to an address, or to the other end if there is none.
func (c *rpOutside) sends(fd uintptr, to *rpSockaddr, ok bool) {
	f := rpFdLook(fd)
	if !ok || f.kind == rpFdLink || f.kind == rpFdFile {
		c.actOn(f, rpTells|rpGives)
		return
	}
	c.selfActs(f, rpGives)
	c.reaches(to, rpDatagrams, ok, rpChanges|rpGives)
}

func (c *rpOutside) sendsMessage(s *rpG, fd, msg uintptr) {
	h := (*rpMsghdr)(unsafe.Pointer(msg))
	to, ok := rpSockaddrAt(h.name, uintptr(h.namelen))
	c.sends(fd, &to, ok)
	h.eachRight(func(right uintptr) {
		s.passesOn(right)
		s.passesOn(fd) // its calls may lose the message, and the last copy of the descriptor with it
		c.actOn(rpFdLook(right), rpChanges)
	})
}

// eachRight calls f for the descriptors that a message carries.
func (h *rpMsghdr) eachRight(f func(fd uintptr)) {
	const (
		header    = 16 // length, level, type
		scmRights = 1
	)
	for at := uintptr(0); at+header <= h.controllen && h.control != 0; {
		p := h.control + at
		n := *(*uintptr)(unsafe.Pointer(p))
		level, typ := *(*int32)(unsafe.Pointer(p + 8)), *(*int32)(unsafe.Pointer(p + 12))
		if n < header || n > h.controllen-at {
			return
		}
		if level == rpSolSocket && typ == scmRights {
			for i := uintptr(header); i+4 <= n; i += 4 {
				f(uintptr(*(*int32)(unsafe.Pointer(p + i))))
			}
		}
		at += alignUp(n, 8)
	}
}

// receives adds the acts of receiving. The source of a datagram is known only at the end of the
// call.
func (c *rpOutside) receives(fd uintptr) {
	f := rpFdLook(fd)
	if f.kind == rpFdPort && f.peer == 0 && !f.inherited && c.hasSource() {
		c.selfActs(f, rpTakes)
		return
	}
	c.actOn(f, rpIsTold|rpTakes)
	c.readsOf(f)
}

// hasSource reports whether the call says where data comes from.
func (c *rpOutside) hasSource() bool {
	switch c.op {
	case rpCallReadFrom:
		return c.args[4] != 0
	case rpCallReadMsg:
		return (*rpMsghdr)(unsafe.Pointer(c.args[1])).name != 0
	}
	return false
}

// received adds the world if data came from elsewhere, and clears the entries of the descriptors
// that came with it.
func (c *rpOutside) received(n uintptr) {
	a := &c.args
	switch c.op {
	case rpCallReadFrom:
		if a[4] != 0 {
			c.receivedFrom(a[4], uintptr(*(*uint32)(unsafe.Pointer(a[5]))))
		}
	case rpCallReadMsg:
		h := (*rpMsghdr)(unsafe.Pointer(a[1]))
		if h.name != 0 {
			c.receivedFrom(h.name, uintptr(h.namelen))
		}
		h.eachRight(rpFdReceived)
	case rpCallReadMsgs:
		for i := range n {
			h := (*rpMsghdr)(unsafe.Pointer(a[1] + i*rpMmsghdrSize))
			h.eachRight(rpFdReceived)
		}
	}
}

func rpFdReceived(fd uintptr) {
	rpFdReset(fd, true)
	if f := rpFdAt(fd); f != nil {
		f.passed = true
	}
}

func (c *rpOutside) receivedFrom(p, n uintptr) {
	if f := rpFdLook(c.args[0]); f.kind != rpFdPort || f.peer != 0 {
		return
	}
	if from, ok := rpSockaddrAt(p, n); ok {
		if e, ip := from.endpoint(); ip && e.here(rpDatagrams) {
			c.act(rpPortObject(e.place(rpDatagrams)), rpChanges|rpTakes)
			return
		}
	}
	c.act(rpWorld, rpChanges|rpTakes)
}

// binds adds the acts of taking an address.
func (c *rpOutside) binds() {
	c.moves(c.args[0])
	at, ok := rpSockaddrAt(c.args[1], c.args[2])
	if e, ip := at.endpoint(); ok && ip && e.port == 0 {
		return // the system chooses a free one
	}
	c.reaches(&at, rpProtocol(rpSocketType(c.args[0])), ok, rpChanges)
	c.act(rpWorld, rpChanges)
}

// moves adds the acts of a call that changes which object a socket belongs to. While the call
// lasts, others may already see what it did, so for them the socket is an object of its own, until
// moved looks it up again.
func (c *rpOutside) moves(fd uintptr) {
	c.selfOf(fd)
	at := rpFdAt(fd)
	if at == nil || at.kind != rpFdUnknown {
		return
	}
	if st, ok := rpFstat(fd); ok {
		own := rpSocketOwn(&st)
		own.inherited, own.passed = at.inherited, at.passed
		*at = own
		c.selfActs(own, 0)
	}
}

// moved is for the end of such a call.
func (c *rpOutside) moved(fd uintptr) {
	f := rpFdAt(fd)
	if f == nil {
		return
	}
	rpFdReset(fd, f.inherited)
	c.selfActs(rpFdLook(fd), 0)
}

// dials notes that fd is about to be connected, which may wait until others are accepted. dialed
// adds that it asks whether it is.
func (c *rpOutside) dials(fd uintptr) {
	to, ok := rpSockaddrAt(c.args[1], c.args[2])
	if e, ip := to.endpoint(); ok && ip {
		if f := rpFdAt(fd); f != nil {
			f.dials = e.place(rpStreams) + 1
		}
	}
}

func (c *rpOutside) dialed(fd uintptr) {
	if f := rpFdAt(fd); f != nil && f.dials != 0 {
		c.act(rpPortObject(f.dials-1), rpChanges)
		f.dials = 0
	}
}

// accepted adds the acts of a new connection. It belongs to the world, too, unless its other end is
// known.
func (c *rpOutside) accepted(fd uintptr) {
	rpFdReset(fd, c.args[3]&rpOCloexec == 0)
	if f := rpFdLook(fd); f.outside() {
		c.act(rpWorld, rpChanges)
	}
}

// rpSocketPairMade notes that a pair of sockets of that type was made.
func rpSocketPairMade(fds, typ uintptr) {
	const types = 0xf
	inherited := typ&rpOCloexec == 0
	a, b := uintptr(*(*int32)(unsafe.Pointer(fds))), uintptr(*(*int32)(unsafe.Pointer(fds + 4)))
	rpFdReset(a, inherited)
	rpFdReset(b, inherited)
	sa, ok := rpFstat(a)
	sb, too := rpFstat(b)
	if !ok || !too {
		return
	}
	no, _ := rpLinkFind(rpLinkKey{sa.dev, sa.ino}, inherited)
	if no == 0 {
		return
	}
	rpLinks[no].whole = true
	rpLinks[no].many = typ&types != rpSockStream // one for packets says that the other end is gone before it gives the last of them
	if name, _ := rpLinkFind(rpLinkKey{sb.dev, sb.ino}, inherited); name != 0 {
		rpLinks[name].names, rpLinks[no].named = no, name
	} else {
		rpLinks[no].shared = true
	}
	if f := rpFdAt(a); f != nil {
		*f = rpFd{kind: rpFdLink, no: no, out: 1, inherited: inherited}
	} else {
		rpLinks[no].shared = true
	}
	rpFdLook(b)
}

// setsOption adds the acts of setting an option of a socket. What only says how its own calls go
// on, or when the system looks after an idle connection, others than the users of the descriptor do
// not see.
func (c *rpOutside) setsOption() {
	const (
		tcp                                              = 6
		noDelay, keepIdle, keepInterval, keepCount       = 1, 4, 5, 6
		reuse, broadcast, keepAlive, linger, rcvLowWater = 2, 6, 9, 13, 18
	)
	fd, level, option, value, size := c.args[0], c.args[1], c.args[2], c.args[3], c.args[4]
	f := rpFdLook(fd)
	slow, many := &rpAnyLinger, &rpAnyLowWater
	if f.kind == rpFdLink {
		slow, many = &rpLinks[f.no].slow, &rpLinks[f.no].many
	}
	own := false
	switch level {
	case rpSolSocket:
		switch option {
		case reuse, broadcast, keepAlive:
			own = true
		case linger: // on or off, and for how many seconds
			if v := (*[2]int32)(unsafe.Pointer(value)); value != 0 && size >= 8 && v[0] != 0 && v[1] != 0 {
				*slow = true
			}
			own = true
		case rcvLowWater:
			*many = true
		}
	case tcp:
		own = option == noDelay || option == keepIdle || option == keepInterval || option == keepCount
	}
	if own && f.kind == rpFdLink && !f.inherited {
		c.act(f.opened(), rpChanges)
		return
	}
	c.selfOf(fd)
}
