//go:build racepred_seam

// The outside world: what goroutines can learn of each other through the operating system.
//
// A system call acts on an object of the outside world. Before the call its goroutine gives to the
// object, and after the call it takes from the object, so that a prediction keeps the order of what
// others can see there (docs/soundness.md, "The outside world"):
//
//	(X1) Pins are recorded before and after each call. Between the two lies the moment at which the
//	     call takes effect, and as both ends of two calls on one object keep their order in a
//	     schedule, that schedule has room for these moments in the order of the run.
//	(X2) A call that changes an object is a Change of it, one that only looks is an Observe. Changes
//	     of the world whose result does not depend on others (data written to a file) commute:
//	     rpCommute.
//	(X3) A pipe or connection has objects of its own (X9), which both of its ends act on, if both
//	     are in this process. As long as that is not known, the call acts on the world, too, since
//	     the process with the other end may pass on what it gets.
//	(X4) All else is one object, the world: files, processes, signals, memory that is not Go's,
//	     sockets whose other end is elsewhere.
//	(X5) A transfer of data makes a happens-before edge, as package syscall annotates it for -race,
//	     but on the object: data written to a connection orders nothing that is read from another
//	     connection, or from a file.
//	(X8) While a process watches files, a call that looks at the world changes it as well.
//	(X9) A pipe or connection has an object for what is under way to each of its ends, and one for
//	     whether its ends are open. A write acts on the former of the other end, a read on that of
//	     its own; both see the latter, which a close changes. A read that returned bytes, though a
//	     close had begun before, did not see the close: it does not act on it, and keeps its place
//	     beside closes of its own descriptor by the descriptor's object. One pin, behind the call,
//	     is enough for these two: nothing but closes changes them, so a call's moment may lie
//	     wherever it lies beside the closes. After a close, writes and calls that fail change what
//	     others find. What finds an end closed comes after the close in happens-before, too.
//	(X10) A call that finds too many descriptors, or an address taken, may succeed later since
//	     others closed something. So for some time those that succeed are told of everything.
//	(X11) Whoever passes a descriptor on to others acts on its object, takes from it, and gives to
//	      the world: what comes of it may come back by any way.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// rpOutputsSeen is set if another process may react to output on descriptors 1 and 2: a process of
// the same run started this one, or they were replaced. Otherwise they go to go test, and this
// process cannot see what is written there.
var rpOutputsSeen bool

//go:linkname rp_outputsSeen internal/racepred/process.runtime_outputsSeen
func rp_outputsSeen() { rpOutputsSeen = true }

// Objects have addresses at which neither Go nor the operating system puts anything. World, ports,
// links and names have places of their own below, 8 bytes each.
const (
	rpWorld  = 0x600000000000
	rpLinkAt = rpWorld + 1<<20 // 16 bytes each (X9)
	rpPortAt = rpWorld + 2<<20
	rpFileAt = rpWorld + 3<<20
	rpNameAt = rpWorld + 4<<20
	rpOpenAt = rpWorld + 5<<20
	rpCellAt = rpWorld + 6<<20

	rpAllSeen = rpWorld + 16 // whatever any goroutine did: see told.go
)

// What a call does to an object.
const (
	rpTells       = 1 << iota // changes it, and its result tells nothing: commutes with its like
	rpIsTold                  // sees it
	rpChanges                 // changes it, and may see it
	rpGives                   // gives a happens-before edge
	rpTakes                   // takes one, if it does not fail
	rpTakesAnyway             // takes one
	rpLate                    // its moment may be taken for the end of the call
)

// rpWatchers counts the descriptors, and other means, by which a process learns what is done to
// files. While there are any, looking at a file is a change that others see, and the order of two
// calls can be seen.
var rpWatchers uint32

// act adds an object that the call acts on. If there is no room, it adds the world instead, for
// which there is always room.
func (c *rpActs) act(object, how uintptr) {
	for i := range c.at[:c.n] {
		if a := &c.at[i]; a.object == object {
			a.how |= how
			return
		}
	}
	if c.n == rpActsLen-1 && object != rpWorld {
		c.act(rpWorld, rpChanges|how)
		return
	}
	c.at[c.n].object, c.at[c.n].how = object, how
	c.n++
}

// rpTransferred is the object of package syscall's annotations: one object for all data that is
// read and written.
var rpTransferred uintptr

// rpOutsider is the state of gp if its system calls are recorded: it runs, and is not within a fork
// or a system call.
//
//go:nosplit
func rpOutsider(gp *g) *rpG {
	if gp != gp.m.curg || gp.m.locks != 0 || gp.syscallsp != 0 || gp.raceignore != 0 {
		return nil
	}
	s := (*rpG)(unsafe.Pointer(gp.racectx))
	if s == nil || s.ignore != 0 {
		return nil
	}
	return s
}

// pinOutside records the pins of one act.
func (s *rpG) pinOutside(object, how uintptr) {
	kind := uint64(rpObserve)
	switch {
	case object == rpWorld && atomic.Load(&rpWatchers) != 0 && how&(rpTells|rpIsTold|rpChanges) != 0: // in which order, too
		kind = rpChange
	case object == rpAllSeen:
		kind, object = rpToldOfAll, 0
	case how&rpChanges != 0 || how&rpTells != 0 && how&rpIsTold != 0:
		kind = rpChange
	case how&rpTells != 0:
		kind = rpCommute
	case how&rpIsTold == 0:
		return
	}
	s.sync(kind, object, rpStackHere(getg(), 0))
}

// before records what comes before the call, and after what comes after it. They run on the system
// stack.
func (s *rpG) before(c *rpActs) {
	for i := range c.at[:c.n] {
		a := &c.at[i]
		if a.how&rpLate != 0 {
			continue
		}
		s.pinOutside(a.object, a.how)
		if a.how&rpGives != 0 {
			s.sync(rpReleaseMerge, a.object, 0)
		}
	}
}

func (s *rpG) after(c *rpActs, failed bool) {
	for i := range c.at[:c.n] {
		a := &c.at[i]
		if a.how&rpTakes != 0 && !failed || a.how&rpTakesAnyway != 0 {
			s.sync(rpAcquire, a.object, 0)
		}
		s.pinOutside(a.object, a.how)
	}
}

// rpActsOutside records a moment at which the running goroutine acts on the world as a whole,
// outside of any call.
//
//go:nosplit
func rpActsOutside(how uintptr) {
	gp := getg()
	s := rpOutsider(gp)
	if s == nil {
		return
	}
	systemstack(func() { s.pinOutside(rpWorld, how) })
}
