//go:build racepred_seam

package runtime

import "unsafe"

// Locks. Their kinds are numbered from that of rpLock on (internal/race).

// race_takes records that the running goroutine took a lock, or that TryLock failed.
//
//go:linkname race_takes internal/race.takes
func race_takes(addr unsafe.Pointer, kind uint64) {
	kind += rpLock
	try := uint64(0)
	switch kind - rpTryFail { // internal/race
	case 1:
		kind, try = rpTryFail, rpTryRead
	case 2:
		kind, try = rpLock, rpLockTried
	case 3:
		kind, try = rpRLock, rpLockTried
	}
	gp := getg()
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || gp.raceignore != 0 || s.ignore != 0 {
		return
	}
	if !rpVariable(uintptr(addr)) {
		if kind != rpTryFail {
			s.foreignLock(rpAcquire, addr)
		}
		return
	}
	if s.watched != 0 { // before hold, after which it would count for this lock, too
		s.outlived()
	}
	if s.leavesTaken(uintptr(addr), kind) {
		if kind == rpTryFail {
			return
		}
		stack, size := uint32(0), try
		if fp := getfp(); !s.leftFresh || !s.busySync(fp) {
			if stack = s.knownStack(gp, 0, fp); stack == 0 {
				stack = rpStackHere(gp, 0)
			}
			if kind == rpLock && !rpLocal(uintptr(addr)) {
				size |= rpLockRead
			}
		}
		s.leavesLock(gp, uintptr(addr), kind, size, stack)
		return
	}
	s.uses(uintptr(addr))
	quiet := s.quiet
	if s.nheld == 0 {
		quiet = rpQuiet
	}
	if kind != rpTryFail {
		s.hold(uintptr(addr))
	}
	stack, size := uint32(0), try
	if fp := getfp(); !s.busySync(fp) {
		if gp == gp.m.curg {
			stack = s.knownStack(gp, 0, fp)
		}
		if stack == 0 {
			stack = rpStackHere(gp, 0)
		}
		if kind == rpLock && !rpLocal(uintptr(addr)) {
			size |= rpLockRead // the read mode of RWMutex annotates that itself
		}
	} else if kind != rpTryFail {
		stack, size = s.busyLock(gp, fp, quiet)
		size |= try
	}
	s.room()
	s.ticketed(kind, uintptr(addr), size, stack)
	if stack != 0 && kind != rpTryFail { // else the section is hard
		s.tookLock(gp)
	}
	rpPoll()
}

// busyLock is (Q3): the stack and the size of the record of a lock that is taken at a busy place.
// Without a stack the section is hard. quiet is the value of s.quiet before.
func (s *rpG) busyLock(gp *g, fp uintptr, quiet uint32) (stack uint32, size uint64) {
	place := rpPlaceIndex(rpPlace(gp, fp))
	leaves := rpBusyPlaces[place]
	if leaves&rpLeavesWrites == 0 && s.nheld <= rpHeldLen && gp == gp.m.curg {
		stack = rpTopStack(gp, fp, &rpPlaceTops[place])
	}
	if stack == 0 {
		s.quiet = quiet // the hard section needs no record of what it leaves out; those around it still do
		return 0, 0
	}
	s.heldAt[s.nheld-1] = uint16(place + 1)
	if leaves&rpLeavesReads != 0 {
		s.quiet = rpQuietReads
		return stack, rpLockLeavesReads
	}
	return stack, 0
}

// race_gives records that it is about to give a lock back.
//
//go:linkname race_gives internal/race.gives
func race_gives(addr unsafe.Pointer, kind uint64) {
	gp := getg()
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || gp.raceignore != 0 || s.ignore != 0 {
		return
	}
	if !rpVariable(uintptr(addr)) {
		s.foreignLock(rpReleaseMerge, addr)
		return
	}
	if s.nleft != 0 && s.leftOut(uintptr(addr)) {
		if s.alone != 0 || s.leftFresh {
			s.letGo(uintptr(addr))
			if s.nleft--; s.nleft == 0 {
				s.leftOpaque, s.leftFresh = 0, false
			}
			return
		}
		s.recordLeft()
	}
	s.uses(uintptr(addr))
	s.room() // before letGo: the section may have outlived its callback
	s.letGo(uintptr(addr))
	s.ticketed(kind+rpLock, uintptr(addr), 0, 0)
	rpPoll()
}

// race_Read records that package sync looks at a lock or a WaitGroup, so that code which overwrites
// it is found. The program learns nothing from that: at a busy place it is not recorded, and that
// makes no section one that leaves out reads.
//
//go:linkname race_Read internal/race.Read
func race_Read(addr unsafe.Pointer) { rpOfSync(rpRead, addr, rpPlace(getg(), getfp())) }

// race_Adds records that the count of the WaitGroup at addr goes up from zero, as an atomic write
// that orders nothing.
//
//go:linkname race_Adds internal/race.Adds
func race_Adds(addr unsafe.Pointer) { rpOfSync(rpWrite, addr, rpPlace(getg(), getfp())) }

// rpOfSync records an access of package sync's own.
func rpOfSync(kind uint64, addr unsafe.Pointer, place uintptr) {
	gp, p := getg(), uintptr(addr)
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || s.ignore|s.unseen != 0 || gp != gp.m.curg || rpLocal(p) {
		return
	}
	i := rpPlaceIndex(place)
	if rpBusyPlaces[i]&rpIsBusy != 0 && (s.passes(p) || !s.meets(kind, p, 1, uint32(i)+rpMeetPlaces)) || s.leaveOut(kind, p, 1, 0) {
		return
	}
	s.countPlace(place, 1)
	stack := rpStackHere(gp, 0)
	s.room()
	s.plain(kind, rpOfLock, p, 1, 0, stack)
	rpPoll()
}

// rpVariable reports whether there can be a variable at addr.
//
//go:nosplit
func rpVariable(addr uintptr) bool {
	i := addr - rpHeapLo
	if i >= rpHeapSize {
		return addr-rpDataStart < rpDataEnd-rpDataStart
	}
	return rpArenas[i>>rpArenaBits] != 0
}
