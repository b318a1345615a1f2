//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

// Descriptors and addresses that run short. (X10)

// rpFew says that there were no descriptors, and how many were closed since and not used again.
var rpFew struct {
	on   bool
	free int
}

// rpEnough is with how many of them free there is no shortage any more: nobody depends on who
// closed one.
const rpEnough = 16

// rpRefused says how many of the next calls that connect are told of everything: after one that
// found its address taken, as many may have waited.
var rpRefused uint8

// rpPortsTaken are the ports that a call found taken, or that connections had that are closed,
// until a call gets them.
var rpPortsTaken [2 << 16]bool

// runsShort is for the end of a call.
func (c *rpOutside) runsShort(errno uintptr) {
	told := false
	switch c.op {
	case rpCallBind:
		at, ok := rpSockaddrAt(c.args[1], c.args[2])
		if e, ip := at.endpoint(); ok && ip {
			taken := &rpPortsTaken[e.place(rpProtocol(rpSocketType(c.args[0])))]
			told = errno == 0 && *taken
			*taken = errno == rpEADDRINUSE || *taken && errno != 0
		}
	case rpCallConnect:
		switch errno {
		case rpEADDRINUSE, rpEADDRNOTAVAIL:
			rpRefused = 64
		case 0, rpEINPROGRESS:
			if told = rpRefused > 0; told {
				rpRefused--
			}
		}
	case rpCallFcntl:
		told = c.copies() && rpGetsDescriptor(errno)
	case rpCallOpen, rpCallOpenAt, rpCallDup, rpCallDupTo, rpCallPipe, rpCallPipe2, rpCallSocket, rpCallSocketPair, rpCallAccept, rpCallWatches, rpCallBoth:
		told = rpGetsDescriptor(errno)
	case rpCallClose:
		if rpFew.free++; rpFew.free > rpEnough {
			rpFew.on = false
		}
	}
	if told {
		c.act(rpAllSeen, rpIsTold)
	}
}

// rpGetsDescriptor is for the end of a call that makes a descriptor, and reports whether it is told
// of everything.
func rpGetsDescriptor(errno uintptr) bool {
	switch errno {
	case rpEMFILE, rpENFILE:
		rpFew.on, rpFew.free = true, 0
	case 0:
		rpFew.free--
		return rpFew.on
	}
	return false
}
