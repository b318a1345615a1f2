//go:build racepred_seam && linux && (amd64 || arm64)

package runtime

import (
	"internal/runtime/syscall/linux"
	"unsafe"
)

// Names of files. Calls that make or remove different names commute, if they succeed:
//
//	(X6) Such a call changes the world in a way that commutes, and an object for the name. It
//	     changes an object for the directory of the name, also in a way that commutes; the call that
//	     removes the directory changes that one without commuting. And it sees the object for the
//	     directory's own name, which the call that made the directory changed (if that name is not
//	     in the path, that of the directory above).
//	(X7) A call after which other names have another meaning (links, renames, mounts) is a change of
//	     the world, which does not commute with (X6). So is a call with a path that leads nowhere,
//	     or that has `..` in it: such a path goes through names that others make and remove. A file
//	     that is made by the name of a link has another name.

// rpPath is where a path leads.
type rpPath struct {
	name   uint32 // of the directory and the last part of the path
	dir    uint32
	above  uintptr // the object of the directory's own name, or of the directory above
	itself uint32  // the file, if there is one
	exists bool
	link   bool // it is a symbolic link
}

// names adds the acts of making or removing a name, or of making a file unless it exists. In the
// latter case the call does not say whether it existed.
func (c *rpOutside) names(dir, path uintptr, exclusive bool) {
	c.act(rpWorld, rpTells)
	p, ok := rpPathOf(dir, path)
	if !ok || p.link {
		c.act(rpWorld, rpChanges)
		return
	}
	if exclusive {
		c.act(rpNameAt+uintptr(p.name)*8, rpChanges)
	} else {
		c.act(rpNameAt+uintptr(p.name)*8, rpTells)
	}
	c.act(rpFileAt+uintptr(p.dir)*8, rpTells)
	c.act(p.above, rpIsTold)
	if p.exists && exclusive { // it is about to be removed, or the call fails
		c.act(rpFileAt+uintptr(p.itself)*8, rpChanges)
	}
}

const (
	rpSIFLNK     = 0xa000
	rpNoFollow   = 0x100
	rpLongestDir = 1024
)

// rpFileOf is the number of the file with that name, and its mode.
func rpFileOf(dir, path, flags uintptr) (no, mode uint32, ok bool) {
	var b [18]uint64
	if _, _, e := linux.Syscall6(rpSysNewfstatat, dir, path, uintptr(unsafe.Pointer(&b)), flags, 0, 0); e != 0 {
		return 0, 0, false
	}
	return rpHash(b[0], b[1]) % rpNames, uint32(b[rpModeAt]), true
}

// rpPathOf follows a path; ok is false if its directory is not there, or it is long, or goes
// through a directory and leaves it again.
func rpPathOf(dir, path uintptr) (p rpPath, ok bool) {
	var name [rpLongestDir]byte
	n, from := 0, 0
	for ; ; n++ {
		if n == len(name)-4 {
			return p, false
		}
		name[n] = *(*byte)(unsafe.Pointer(path + uintptr(n)))
		if end := name[n] == 0; end || name[n] == '/' {
			if n-from == 2 && name[from] == '.' && name[from+1] == '.' {
				return p, false
			}
			if from = n + 1; end {
				break
			}
		}
	}
	var mode uint32
	p.itself, mode, p.exists = rpFileOf(dir, path, rpNoFollow)
	p.link = p.exists && mode&rpSIFMT == rpSIFLNK
	n = rpTrimSlashes(&name, n)
	last, n := rpLastPart(&name, n)
	n = rpTrimSlashes(&name, n)
	own, _ := rpLastPart(&name, n)
	named := n > 0 && name[n-1] != '/' && name[n-1] != '.' // "." and ".." are no names
	if n == 0 {
		name[0], n = '.', 1
	}
	name[n] = 0
	at := uintptr(unsafe.Pointer(&name))
	if p.dir, _, ok = rpFileOf(dir, at, 0); !ok {
		return p, false
	}
	p.name = rpHash(last, uint64(p.dir)) % rpNames
	_, mode, _ = rpFileOf(dir, at, rpNoFollow)
	name[n], name[n+1], name[n+2], name[n+3] = '/', '.', '.', 0
	above, _, ok := rpFileOf(dir, at, 0)
	if p.above = rpFileAt + uintptr(above)*8; named && mode&rpSIFMT == rpSIFDIR {
		p.above = rpNameAt + uintptr(rpHash(own, uint64(above))%rpNames)*8
	}
	return p, ok
}

func rpTrimSlashes(name *[rpLongestDir]byte, n int) int {
	for n > 1 && name[n-1] == '/' {
		n--
	}
	return n
}

// rpLastPart is a hash of what comes behind the last slash, and where that begins.
func rpLastPart(name *[rpLongestDir]byte, n int) (h uint64, at int) {
	h = 0xcbf29ce484222325
	for ; n > 0 && name[n-1] != '/'; n-- {
		h = (h ^ uint64(name[n-1])) * 0x100000001b3
	}
	return h, n
}
