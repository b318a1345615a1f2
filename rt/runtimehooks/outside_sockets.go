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
	rpSockRaw      = 3
	rpIPv6         = 41
	rpV6Only       = 26
)

// rpPort describes a port of a protocol.
type rpPort struct {
	n      uint16 // descriptors of this process that have it; 0: nothing is known
	shared bool   // another process has it, too, or the kernel watches one of its sockets
	any4   bool   // a socket has it at all addresses of IPv4,
	any6   bool   // or of IPv6
	at     uint32 // one address of this host at which a socket has it
}

// Protocols are numbers for the ports that each has.
const (
	rpStreams = iota
	rpDatagrams
)

// rpPorts are the ports, by protocol and number. A name is shared as a port is.
var (
	rpPorts       [2 << 16]rpPort
	rpNamesShared [rpNames]bool
)

// rpSocketType is that of a socket, and rpProtocol the protocol of sockets of a type.
func rpSocketType(fd uintptr) int32 {
	if typ, ok := rpSockopt(fd, rpSolSocket, rpSoType); ok {
		return typ
	}
	return rpSockStream
}

func rpProtocol(typ int32) uint32 {
	if typ != rpSockStream {
		return rpDatagrams
	}
	return rpStreams
}

// rpPortObject is the object of a port, of which place is the index in rpPorts.
func rpPortObject(place uint32) uintptr { return rpPortAt + uintptr(place)*8 }

// rpSockaddr is a struct sockaddr.
type rpSockaddr struct {
	b [112]byte
	n uint32
}

// rpEndpoint is the address and port in it.
type rpEndpoint struct {
	family uint16
	port   uint16
	any    bool // it says nothing
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
		e.any, e.lo = true, 1
	case e.hi == 0 && e.lo == 0xffff<<32:
		e.any, e.lo = true, e.lo|127<<24|1
	}
	return e, true
}

// loopback reports whether the address is of this host's loopback interface.
func (e *rpEndpoint) loopback() bool { return e.hi == 0 && (e.lo == 1 || e.lo>>24 == 0xffff<<8|127) }

// place is the index of the port in rpPorts.
func (e *rpEndpoint) place(protocol uint32) uint32 { return protocol<<16 | uint32(e.port) }

// here reports whether the endpoint is a socket of this process.
func (e *rpEndpoint) here(protocol uint32) bool {
	p := &rpPorts[e.place(protocol)]
	at := p.at == e.address()
	if e.lo>>32 == 0xffff {
		at = at || p.any4
	} else {
		at = at || p.any6
	}
	return e.loopback() && p.n != 0 && at && !p.shared && !rpAnyRing
}

// address is a hash of the address alone.
func (e *rpEndpoint) address() uint32 { return rpHash(e.hi, e.lo) }

// taken notes that a socket of this process has the endpoint.
func (e *rpEndpoint) taken(fd uintptr, protocol uint32) {
	p := &rpPorts[e.place(protocol)]
	if p.n == 0 {
		p.at = e.address()
	}
	p.n++
	if !e.any {
		return
	}
	if e.family == rpAFInet {
		p.any4 = true
		return
	}
	p.any6 = true
	only, ok := rpSockopt(fd, rpIPv6, rpV6Only)
	p.any4 = p.any4 || ok && only == 0
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
func rpSockopt(fd, level, option uintptr) (value int32, ok bool) {
	var b [3]int32
	n := uint32(unsafe.Sizeof(b))
	_, _, e := linux.Syscall6(rpSysGetsockopt, fd, level, option, uintptr(unsafe.Pointer(&b)), uintptr(unsafe.Pointer(&n)), 0)
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
		return rpFd{kind: rpFdWorld, shows: rpWatchesSockets(fd, own.family())}, true
	}
	to, _ := peer.endpoint()
	typ := rpSocketType(fd)
	if typ == rpSockRaw {
		return rpFd{kind: rpFdWorld, shows: true}, true // it gets copies of what others get
	}
	protocol := rpProtocol(typ)
	stream := protocol == rpStreams
	if stream && connected {
		return rpStreamFind(&at, &to, st.ino, inherited)
	}
	if at.port == 0 {
		return rpSocketOwn(&st), false
	}
	f = rpFd{kind: rpFdPort, no: at.place(protocol), elsewhere: true}
	if listens, _ := rpSockopt(fd, rpSolSocket, rpSoAcceptconn); stream && listens == 0 {
		return f, false // it may be connected later, or was
	}
	at.taken(fd, protocol)
	if connected {
		f.peer, f.elsewhere = to.place(protocol), !to.here(protocol)
	}
	return f, true
}

// rpWatchesSockets reports whether the reader of a socket of that family sees what others do with
// theirs: all packets, or a list of all sockets.
func rpWatchesSockets(fd uintptr, family uint16) bool {
	const netlink, packet, sockDiag, soProtocol = 16, 17, 4, 38
	if family != netlink {
		return family == packet
	}
	protocol, ok := rpSockopt(fd, rpSolSocket, soProtocol)
	return !ok || protocol == sockDiag
}

// rpSocketOwn is that of a socket as such.
func rpSocketOwn(st *rpStat) rpFd { return rpFd{kind: rpFdOwn, open: rpHash(st.dev, st.ino)} }

// rpStreamFind is that of a connection, of which the socket with that inode is one end. When
// another one was seen before, both ends are here.
func rpStreamFind(at, to *rpEndpoint, ino uint64, inherited bool) (f rpFd, lasting bool) {
	no, _ := rpLinkFind(rpLinkKey{at.sum() + to.sum(), 1 << 63}, inherited)
	if no == 0 {
		return rpFd{kind: rpFdWorld}, false
	}
	switch {
	case at.sum() < to.sum():
		f.out = 1
	case at.sum() > to.sum():
		f.in = 1
	}
	switch e := &rpLinks[no]; e.first {
	case ino:
	case 0:
		e.first = ino
	default:
		e.whole = true
	}
	f.kind, f.no, f.peer = rpFdLink, no, at.place(rpStreams)
	return f, true
}

// rpUnixFind is that of a Unix socket. Its other end is here if this process made it.
func rpUnixFind(fd uintptr, st rpStat, own, peer *rpSockaddr, connected, inherited bool) (f rpFd, lasting bool) {
	pid, ok := rpSockopt(fd, rpSolSocket, rpSoPeercred)
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
	no, other := rpLinkFind(rpLinkKey{st.dev, st.ino}, inherited)
	if no == 0 {
		return rpFd{kind: rpFdWorld}, false
	}
	if other {
		return rpFd{kind: rpFdLink, no: no, in: 1}, true
	}
	return rpFd{kind: rpFdLink, no: no, out: 1}, true
}

func rpPid() int32 {
	const getpid = 39*goarch.IsAmd64 + 172*goarch.IsArm64
	pid, _, _ := linux.Syscall6(getpid, 0, 0, 0, 0, 0, 0)
	return int32(pid)
}
