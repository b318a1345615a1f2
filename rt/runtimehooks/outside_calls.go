//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import "unsafe"

// System calls, from their begin to their end (outside.go). They are nosplit, since the arguments
// may be addresses on the goroutine's stack, and do their work on the system stack.

//go:nosplit
//go:linkname rp_callBegin
func rp_callBegin(op uint8, a1, a2, a3, a4, a5, a6 uintptr) {
	gp := getg()
	rpCalls(gp, op, a1, a2, a3)
	s := rpOutsider(gp)
	if s == nil {
		return
	}
	systemstack(func() {
		c := s.outside
		if c == nil {
			c = (*rpOutside)(persistentalloc(unsafe.Sizeof(rpOutside{}), 8, &memstats.other_sys))
			s.outside = c
		}
		c.op, c.n = op, 0
		c.args = [...]uintptr{a1, a2, a3, a4, a5, a6}
		lock(&rpFdLock)
		c.begins(s)
		unlock(&rpFdLock)
	})
}

//go:nosplit
//go:linkname rp_callEnd
func rp_callEnd(r1, errno uintptr) {
	gp := getg()
	s := rpOutsider(gp)
	if s == nil || s.outside == nil || s.outside.op == rpCallNone {
		return
	}
	systemstack(func() {
		lock(&rpFdLock)
		s.outside.ends(s, r1, errno)
		unlock(&rpFdLock)
		s.outside.op = rpCallNone
	})
}

// begins finds the objects that the call acts on, and records the pins before it.
func (c *rpOutside) begins(s *rpG) {
	a := &c.args
	switch c.op {
	case rpCallTold:
		c.act(rpWorld, rpIsTold)
	case rpCallTold1:
		c.sees(a[0])
	case rpCallTold2:
		c.sees(a[1])
	case rpCallWatches:
		rpClosingSeen = true
		c.act(rpWorld, rpChanges)
	case rpCallSignal, rpCallSignalThread:
		c.act(rpWorld, rpTells)
	case rpCallName:
		c.names(rpAtCwd, a[0], true)
	case rpCallNameAt:
		c.names(a[0], a[1], true)
	case rpCallRead:
		c.movesOn(a[0], rpIsTold|rpTakes)
	case rpCallReadAt:
		c.fdActs(a[0], rpIsTold|rpTakes)
	case rpCallWrite:
		c.movesOn(a[0], rpTells|rpGives)
	case rpCallWriteAt:
		c.fdActs(a[0], rpTells|rpGives)
	case rpCallSeek:
		c.movesOn(a[0], rpIsTold)
	case rpCallSet:
		c.fdActs(a[0], rpTells)
	case rpCallLook:
		c.fdActs(a[0], rpIsTold)
	case rpCallAlter:
		c.fdActs(a[0], rpChanges)
	case rpCallIoctl:
		const setOwn, setGroup, async = 0x8901, 0x8902, 0x5452
		if a[1] == setOwn || a[1] == setGroup || a[1] == async {
			c.signals(s, a[0])
		}
		c.fdActs(a[0], rpChanges)
	case rpCallSelf:
		c.selfOf(a[0])
	case rpCallGetOption:
		if c.asksError() {
			c.fdActs(a[0], rpChanges)
			c.dialed(a[0])
		} else {
			c.selfOf(a[0])
		}
	case rpCallReadFrom, rpCallReadMsg, rpCallReadMsgs:
		c.receives(a[0])
	case rpCallWriteTo:
		to, ok := rpSockaddrAt(a[4], a[5])
		c.sends(a[0], &to, ok)
	case rpCallWriteMsg:
		c.sendsMessage(s, a[0], a[1])
	case rpCallWriteMsgs:
		for i := range min(a[2], 1024) {
			c.sendsMessage(s, a[0], a[1]+i*rpMmsghdrSize)
		}
	case rpCallMoveOutIn:
		c.fdActs(a[0], rpTells|rpGives)
		c.movesOn(a[1], rpIsTold|rpTakes)
	case rpCallMoveIn1Out3:
		s.waitsAndPasses(a[0], a[2])
		c.movesOn(a[0], rpIsTold|rpTakes)
		c.movesOn(a[2], rpTells|rpGives)
	case rpCallMoveIn1Out2:
		s.waitsAndPasses(a[0], a[1])
		c.fdActs(a[0], rpIsTold|rpTakes)
		c.fdActs(a[1], rpTells|rpGives)
	case rpCallOpen:
		c.opens(rpAtCwd, a[0], a[1])
	case rpCallOpenAt:
		c.opens(a[0], a[1], a[2])
	case rpCallClose:
		c.closes(a[0])
	case rpCallShutdown:
		if f := rpFdLook(a[0]); f.kind == rpFdLink {
			c.closesLink(f, true)
		} else {
			c.actOn(f, rpChanges|rpGives)
		}
	case rpCallCloseMany:
		if a[2]&rpCloseRangeCloexec != 0 {
			c.op = rpCallNone // it closes nothing
			return
		}
		for fd := a[0]; fd <= a[1] && fd < rpMaxFd; fd++ {
			if f := rpFdAt(fd); f != nil && f.kind != rpFdUnknown {
				c.closes(fd)
			}
		}
	case rpCallDupTo:
		if a[0] != a[1] {
			rpOutputsSeen = rpOutputsSeen || a[1] == 1 || a[1] == 2
			c.closes(a[1])
		}
	case rpCallFcntl:
		c.fcntl(s)
	case rpCallLock:
		rpClosingSeen = true
		c.fdActs(a[0], rpChanges)
	case rpCallPipe, rpCallPipe2, rpCallSocket, rpCallSocketPair, rpCallDup:
		// No other goroutine knows the new ones yet.
	case rpCallMap:
		c.act(rpWorld, rpTells)
	case rpCallBind:
		c.binds()
	case rpCallListen:
		c.selfOf(a[0])
		c.act(rpWorld, rpTells) // another process may wait for it
	case rpCallConnect:
		c.moves(a[0])
		to, ok := rpSockaddrAt(a[1], a[2])
		c.reaches(&to, rpProtocol(rpSocketType(a[0])), ok, rpChanges)
	case rpCallSetOption:
		c.setsOption()
	case rpCallAccept:
		f := rpFdLook(a[0])
		c.selfActs(f, 0)
		if f.kind == rpFdNamed {
			c.act(rpWorld, rpChanges) // others may know it by another name
		}
	case rpCallPoll, rpCallSelect:
		c.polls(s, true)
	case rpCallWatch:
		s.passesOn(a[2])
		c.fdActs(a[2], rpChanges)
		c.act(rpWorld, rpChanges)
	case rpCallRing:
		c.ring(s)
	case rpCallMknod:
		rpAnyFifo = rpAnyFifo || a[1]&rpSIFMT == rpSIFIFO
		c.act(rpWorld, rpChanges)
	case rpCallMknodAt:
		rpAnyFifo = rpAnyFifo || a[2]&rpSIFMT == rpSIFIFO
		c.act(rpWorld, rpChanges)
	default:
		c.act(rpWorld, rpChanges)
	}
	s.before(&c.rpActs)
	switch c.op { // from here on the number may be another descriptor's
	case rpCallClose:
		rpFdReset(a[0], false)
	case rpCallCloseMany:
		for fd := a[0]; fd <= a[1] && fd < rpMaxFd; fd++ {
			rpFdReset(fd, false)
		}
	case rpCallDupTo:
		if a[0] != a[1] {
			rpFdReset(a[1], false)
		}
	}
}

// ends records the pins after the call.
func (c *rpOutside) ends(s *rpG, r1, errno uintptr) {
	a := &c.args
	failed := errno != 0
	switch c.op {
	case rpCallOpen, rpCallOpenAt:
		c.opened(r1, failed)
	case rpCallShutdown:
		if failed {
			c.seesAfterAll()
		}
	case rpCallSignal, rpCallSignalThread:
		if failed || a[1] == 0 || a[2] == 0 {
			c.seesAfterAll()
		}
	case rpCallName, rpCallNameAt, rpCallSet:
		if failed {
			c.seesAfterAll()
		}
	case rpCallDup:
		c.made(s, r1, true, failed)
	case rpCallDupTo:
		if a[0] != a[1] {
			c.made(s, a[1], a[2]&rpOCloexec == 0, failed)
		}
	case rpCallFcntl:
		if c.copies() {
			c.made(s, r1, a[1] == rpFDupfd, failed)
		}
	case rpCallPipe, rpCallPipe2:
		if !failed {
			rpPipeMade(a[0], c.op == rpCallPipe || a[1]&rpOCloexec == 0)
		}
	case rpCallSocket:
		if !failed {
			rpFdReset(r1, a[1]&rpOCloexec == 0)
		}
	case rpCallSocketPair:
		if !failed {
			rpSocketPairMade(a[3], a[1])
		}
	case rpCallListen:
		rpFdLook(a[0]) // another process that connects finds the port in use
	case rpCallConnect:
		c.moved(a[0])
		if errno == rpEINPROGRESS {
			c.dials(a[0])
		}
	case rpCallBind:
		c.moved(a[0])
	case rpCallAccept:
		if !failed {
			c.accepted(r1)
		}
	case rpCallReadFrom, rpCallReadMsg, rpCallReadMsgs:
		if !failed {
			c.received(r1)
		}
	case rpCallPoll, rpCallSelect:
		c.polls(s, false)
	case rpCallWatches:
		if !failed {
			c.watching(r1)
		}
	case rpCallMap:
		if !failed {
			rpMapped(r1, max(a[1], a[2]))
		}
	}
	switch c.op {
	case rpCallClose, rpCallCloseMany, rpCallDupTo:
	default:
		c.seesEnds(c.foundEnds(r1, errno), failed)
	}
	c.runsShort(errno)
	if errno == rpEBADF { // it is closed
		c.act(rpAllSeen, rpIsTold)
	}
	s.after(&c.rpActs, failed)
}

// foundEnds is what the call found out of ends, by its result.
func (c *rpOutside) foundEnds(r1, errno uintptr) int {
	switch {
	case errno == rpEPIPE || errno == rpECONNREFUSED || errno >= rpECONNABORTED && errno <= rpESHUTDOWN:
		return rpEndsFound
	case errno != 0:
	case c.asksError() && *(*int32)(unsafe.Pointer(c.args[3])) != 0:
		return rpEndsFound
	case c.reads() && r1 == 0:
		return rpEndsFound
	case c.returnsWhatIsThere() && r1 > 0:
		return rpEndsSkipped
	}
	return rpEndsUnseen
}

// asksError reports whether the call asks for a socket's error, and takes it.
func (c *rpOutside) asksError() bool {
	const soError = 4
	return c.op == rpCallGetOption && c.args[1] == rpSolSocket && c.args[2] == soError
}

// reads reports whether the call takes data.
func (c *rpOutside) reads() bool {
	switch c.op {
	case rpCallRead, rpCallReadFrom, rpCallReadMsg, rpCallReadMsgs, rpCallMoveOutIn, rpCallMoveIn1Out3, rpCallMoveIn1Out2:
		return true
	}
	return false
}

// returnsWhatIsThere reports whether the call is a read that does not wait for more bytes once
// there are some.
func (c *rpOutside) returnsWhatIsThere() bool {
	const waitAll = 0x100
	switch c.op {
	case rpCallRead:
		return true
	case rpCallReadFrom:
		return c.args[3]&waitAll == 0
	case rpCallReadMsg:
		return c.args[2]&waitAll == 0
	}
	return false
}

// polls records that the descriptors that the call waits for are looked at.
func (c *rpOutside) polls(s *rpG, begin bool) {
	a := &c.args
	var one rpActs
	look := func(fd uintptr, found int) {
		one.n = 0
		one.fdActs(fd, rpIsTold)
		if begin {
			s.before(&one)
		} else {
			one.seesEnds(found, false)
			s.after(&one, true)
		}
	}
	if c.op == rpCallPoll {
		const ended = 0x2018 // POLLERR, POLLHUP, POLLRDHUP
		for i := range a[1] {
			if fd := *(*int32)(unsafe.Pointer(a[0] + i*8)); fd >= 0 {
				found := rpEndsUnseen
				if *(*uint16)(unsafe.Pointer(a[0] + i*8 + 6))&ended != 0 {
					found = rpEndsFound
				}
				look(uintptr(fd), found)
			}
		}
		return
	}
	for fd := range min(a[0], 1024) { // after the call the sets have what is ready
		for _, set := range a[1:4] {
			if set != 0 && *(*uint64)(unsafe.Pointer(set + fd/64*8))>>(fd%64)&1 != 0 {
				look(fd, rpEndsUnseen)
			}
		}
	}
	c.act(rpWorld, rpChanges)
}

// ring passes every object on to the world, with all that was done to it until now.
func (c *rpOutside) ring(s *rpG) {
	c.act(rpWorld, rpChanges)
	if rpAnyRing {
		return
	}
	rpAnyRing = true
	if rpLinks == nil {
		return
	}
	for no := range rpLinks {
		if rpLinks[no].refs != 0 {
			s.pinOutside(rpLinkWay(uint32(no), 0), rpChanges)
			s.pinOutside(rpLinkWay(uint32(no), 1), rpChanges)
			s.pinOutside(rpLinkEnds(uint32(no)), rpChanges)
		}
	}
}

// rp_passedOn notes that a child process is about to get these descriptors.
//
//go:linkname rp_passedOn
func rp_passedOn(fds []uintptr) {
	s := rpOutsider(getg())
	if s == nil {
		return
	}
	systemstack(func() {
		lock(&rpFdLock)
		for _, fd := range fds {
			s.passesOn(fd)
		}
		rpAnyFifo, rpAnyChild = true, true
		unlock(&rpFdLock)
	})
}

// rpForks records that a child process begins, or began.
//
//go:nosplit
func rpForks() { rpActsOutside(rpChanges) }

// rp_transfers finds the object of package syscall's annotations, whose edges are dropped: (X5)
// records them for the calls.
//
//go:linkname rp_transfers
func rp_transfers(address unsafe.Pointer) { rpTransferred = uintptr(address) }

// rpTransfer is called for an edge at rpTransferred, and reports whether to record it.
func rpTransfer() bool { return false }
