//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// Which object a socket belongs to:
//
//	a connection by TCP                 both of its addresses: both ends have the same
//	any other IP socket                 its port, and the one that it is connected to or sends to
//	an IP socket without a port         the socket
//	a Unix socket with a name,
//	or connected to one                 the name
//	a Unix socket of a pair             the pair
//	anything else                       the world
//
// A port, or a name, is also the object of the sockets that listen there.

const (
	rpAFUnix  = 1
	rpAFInet  = 2
	rpAFInet6 = 10

	rpSolSocket    = 1
	rpSoType       = 3
	rpSoPeercred   = 17
	rpSoAcceptconn = 30
	rpSockStream   = 1
)

// rpPorts counts the descriptors of this process that have a port. A port, or a name, is shared if another process has it, too, or the
// kernel watches one of its sockets.
var (
	rpPorts       [1 << 16]uint16
	rpPortsShared [1 << 16]bool
	rpNamesShared [rpNames]bool
)

// rpSockaddr is a struct sockaddr.
type rpSockaddr struct {
	b [112]byte
	n uint32
}

// rpEndpoint is the address and port in it.
type rpEndpoint struct {
	family uint16
	port   uint16
	hi, lo uint64
}

func rpSockaddrOf(call uintptr, fd uintptr) (a rpSockaddr, ok bool) {
	a.n = uint32(len(a.b))
	_, _, e := linux.Syscall6(call, fd, uintptr(unsafe.Pointer(&a.b)), uintptr(unsafe.Pointer(&a.n)), 0, 0, 0)
	a.n = min(a.n, uint32(len(a.b)))
	return a, e == 0 && a.n >= 2
}

// rpSockaddrAt is the one that a caller passes.
func rpSockaddrAt(p, n uintptr) (a rpSockaddr, ok bool) {
	if p == 0 || n < 2 {
		return a, false
	}
	a.n = uint32(min(n, uintptr(len(a.b))))
	for i := range a.n {
		a.b[i] = *(*byte)(unsafe.Pointer(p + uintptr(i)))
	}
	return a, true
}

func (a *rpSockaddr) family() uint16 { return uint16(a.b[0]) | uint16(a.b[1])<<8 }

func (a *rpSockaddr) word(at, n int) (w uint64) {
	for i := range n {
		w = w<<8 | uint64(a.b[at+i])
	}
	return w
}

// endpoint is an IP address, with IPv4 in one form, and this host for an address that says nothing.
func (a *rpSockaddr) endpoint() (e rpEndpoint, ok bool) {
	switch e.family = a.family(); {
	case e.family == rpAFInet && a.n >= 8:
		e.port, e.lo = uint16(a.word(2, 2)), 0xffff<<32|a.word(4, 4)
	case e.family == rpAFInet6 && a.n >= 24:
		e.port, e.hi, e.lo = uint16(a.word(2, 2)), a.word(8, 8), a.word(16, 8)
	default:
		return e, false
	}
	switch {
	case e.hi == 0 && e.lo == 0:
		e.lo = 1
	case e.hi == 0 && e.lo == 0xffff<<32:
		e.lo |= 127<<24 | 1
	}
	return e, true
}

// loopback reports whether the address is of this host's loopback interface.
func (e *rpEndpoint) loopback() bool { return e.hi == 0 && (e.lo == 1 || e.lo>>24 == 0xffff<<8|127) }

// here reports whether the endpoint is a socket of this process.
func (e *rpEndpoint) here() bool {
	return e.loopback() && rpPorts[e.port] != 0 && !rpPortsShared[e.port] && !rpAnyRing
}

// sum is the endpoint as part of a connection's key.
func (e *rpEndpoint) sum() uint64 {
	return uint64(rpHash(e.hi^uint64(e.port)<<48, e.lo)) | uint64(rpHash(e.lo, e.hi^uint64(e.port)))<<32
}

// name is the number of a Unix socket's name among rpNames; ok is false if it has none.
func (a *rpSockaddr) name() (no uint32, ok bool) {
	if a.family() != rpAFUnix || a.n <= 2 {
		return 0, false
	}
	h := uint64(0xcbf29ce484222325)
	for i := uint32(2); i < a.n && (i == 2 || a.b[i] != 0 || a.b[2] == 0); i++ {
		h = (h ^ uint64(a.b[i])) * 0x100000001b3
	}
	return rpHash(h, 1) % rpNames, true
}

// rpSockopt is an option of a socket.
func rpSockopt(fd, option uintptr) (value int32, ok bool) {
	var b [3]int32
	n := uint32(unsafe.Sizeof(b))
	_, _, e := linux.Syscall6(rpSysGetsockopt, fd, rpSolSocket, option, uintptr(unsafe.Pointer(&b)), uintptr(unsafe.Pointer(&n)), 0)
	return b[0], e == 0
}

// rpSocketFind is rpFdFind for sockets.
func rpSocketFind(fd uintptr, st rpStat, inherited bool) (f rpFd, lasting bool) {
	own, ok := rpSockaddrOf(rpSysGetsockname, fd)
	if !ok {
		return rpFd{kind: rpFdWorld}, false
	}
	peer, connected := rpSockaddrOf(rpSysGetpeername, fd)
	if own.family() == rpAFUnix {
		return rpUnixFind(fd, st, &own, &peer, connected, inherited)
	}
	at, ok := own.endpoint()
	if !ok {
		return rpFd{kind: rpFdWorld}, true
	}
	to, _ := peer.endpoint()
	typ, ok := rpSockopt(fd, rpSoType)
	stream := !ok || typ == rpSockStream
	if stream && connected {
		return rpStreamFind(&at, &to, st.ino, inherited)
	}
	if at.port == 0 {
		return rpSocketOwn(&st), false
	}
	f = rpFd{kind: rpFdPort, no: uint32(at.port), elsewhere: true}
	if listens, _ := rpSockopt(fd, rpSoAcceptconn); stream && listens == 0 {
		return f, false // it may be connected later, or was
	}
	rpPorts[at.port]++
	if connected {
		f.peer, f.elsewhere = to.port, !to.here()
	}
	return f, true
}

// rpSocketOwn is that of a socket as such.
func rpSocketOwn(st *rpStat) rpFd { return rpFd{kind: rpFdOwn, open: rpHash(st.dev, st.ino)} }

// rpStreamFind is that of a connection, of which the socket with that inode is one end. When another one was seen before, both ends
// are here.
func rpStreamFind(at, to *rpEndpoint, ino uint64, inherited bool) (f rpFd, lasting bool) {
	no := rpLinkFind(rpLinkKey{at.sum() + to.sum(), 1 << 63}, inherited)
	if no == 0 {
		return rpFd{kind: rpFdWorld}, false
	}
	rpLinks[no].ports = [2]uint16{at.port, to.port}
	switch e := &rpLinks[no]; e.first {
	case ino:
	case 0:
		e.first = ino
	default:
		e.whole = true
	}
	return rpFd{kind: rpFdLink, no: no}, true
}

// rpUnixFind is that of a Unix socket. Its other end is here if this process made it.
func rpUnixFind(fd uintptr, st rpStat, own, peer *rpSockaddr, connected, inherited bool) (f rpFd, lasting bool) {
	pid, ok := rpSockopt(fd, rpSoPeercred)
	here := ok && connected && pid == rpPid()
	if no, ok := own.name(); ok {
		return rpFd{kind: rpFdNamed, no: no, elsewhere: !here}, true
	}
	if no, ok := peer.name(); ok && connected {
		return rpFd{kind: rpFdNamed, no: no, elsewhere: !here}, true
	}
	if !connected {
		return rpFd{kind: rpFdWorld}, false
	}
	no := rpLinkFind(rpLinkKey{st.dev, st.ino}, inherited)
	if no == 0 {
		return rpFd{kind: rpFdWorld}, false
	}
	return rpFd{kind: rpFdLink, no: no}, true
}

func rpPid() int32 {
	const getpid = 39*goarch.IsAmd64 + 172*goarch.IsArm64
	pid, _, _ := linux.Syscall6(getpid, 0, 0, 0, 0, 0, 0)
	return int32(pid)
}
