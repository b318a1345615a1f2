//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// Locks that callbacks return with. A dependency calls a recorded function, and goes on when that
// function has returned. If it has taken a lock and not given it back, by a mutex or by a channel,
// then what the dependency does next is unrecorded code in the lock's section: the section is
// opaque. The library counts as a dependency here, since it may call one next. Exceptions are
// packages that only call what they are given (rpCodeThrough), and the first function of a
// goroutine, since nothing comes after it.
//
//	(J12) The callback of a lock is the function that a dependency called, in whose course recorded
//	     code took the lock. Of several, it is the innermost one. Of a lock that is taken more than
//	     rpCallbackFrames below, it is the function that many frames above the lock.
//	(J7) The section is opaque from the first record on that its goroutine makes after the callback
//	     has returned: when the callback's frame is not there any more, or more than twice
//	     rpCallbackFrames above, or is of another function, or returns to another place, or when a
//	     panic or Goexit, which keep all frames, has come to the deferred functions of the callers.
//	     One thing is not seen: the same function called anew from the same place.
//	(J8) If the compiler put the callback into the function that calls it, one frame has both. Then
//	     the callback lasts as long as that frame is where it was put.
//	(J9) The section is opaque from its beginning if it begins before all packages are initialized
//	     (J4), if a panic took the lock itself (defer mu.Lock()), or if there is no room for its
//	     callback: one of more locks than rpHeldLen, when there is one already.

// rpCallbackFrames bounds the frames between a lock and its callback, (J12). (J7) looks at twice as
// many.
const rpCallbackFrames = 64

// rpAtOnce is the depth of the callback of a section that is opaque from its beginning (J9).
const rpAtOnce = ^uintptr(0)

// What a return address shows of the function in its frame, or of the innermost one that is inlined
// there and counts.
const (
	rpCodeThrough    = iota // none counts: it is of a package that only calls what it is given, or of the compiler
	rpCodeRecorded          // of a rewritten package
	rpCodeBoth              // of a rewritten package, and inlined into one of the library or of a dependency
	rpCodeLibrary           // of the library
	rpCodeDependency        // of a dependency
	rpCodeUnwinds           // it runs the deferred functions of its callers
	rpCodeBits       = 3
)

// rpKnownCodes are return addresses, shifted by rpCodeBits, with what they say. To look one up
// takes a microsecond, so each has two places, of which it comes into the first.
var rpKnownCodes [1 << 12][2]uintptr

func rpCodeOf(pc uintptr) uintptr {
	at := &rpKnownCodes[(pc*0x9E3779B1>>16)%uintptr(len(rpKnownCodes))]
	first := atomic.Loaduintptr(&at[0])
	if first>>rpCodeBits == pc {
		return first & (1<<rpCodeBits - 1)
	}
	if v := atomic.Loaduintptr(&at[1]); v>>rpCodeBits == pc {
		return v & (1<<rpCodeBits - 1)
	}
	code, _ := rpLookCode(pc)
	atomic.Storeuintptr(&at[1], first)
	atomic.Storeuintptr(&at[0], pc<<rpCodeBits|code)
	return code
}

// rpLookCode looks up a code. For rpCodeBoth it also returns which inlined function is the
// outermost recorded one within that of the library or dependency.
func rpLookCode(pc uintptr) (code uintptr, inline int32) {
	f := findfunc(pc - 1)
	if !f.valid() {
		return rpCodeThrough, 0
	}
	for u, uf := newInlineUnwinder(f, pc-1); uf.valid(); uf = u.next(uf) {
		one := rpCodeOfFunc(u, uf)
		switch {
		case one == rpCodeThrough:
		case one == rpCodeRecorded:
			code, inline = one, uf.index
		case code == rpCodeRecorded:
			return rpCodeBoth, inline
		default:
			return one, 0
		}
	}
	return code, 0
}

func rpCodeOfFunc(u inlineUnwinder, uf inlineFrame) uintptr {
	is := u.srcFunc(uf)
	if is.funcID == abi.FuncIDWrapper {
		return rpCodeThrough
	}
	name := is.name()
	file, _ := u.fileLine(uf)
	switch {
	case rpRecordedBy(name, file, true):
		return rpCodeRecorded
	case name == "runtime.gopanic" || name == "runtime.Goexit":
		return rpCodeUnwinds
	case !rpOfGo(name, file):
		return rpCodeDependency
	}
	switch path := rpPackageOf(name); path {
	case "runtime", "reflect", "sync", "sync/atomic", "":
		return rpCodeThrough
	default:
		if len(path) > 9 && path[:9] == "internal/" {
			return rpCodeThrough
		}
	}
	return rpCodeLibrary
}

// rpGoSource is the directory of the library's source in the names of files, with its last slash.
// It is empty if the build trims paths.
var rpGoSource string

func rpFindGoSource() {
	pc := abi.FuncPCABIInternal(rpFindGoSource)
	file, _ := funcline1(findfunc(pc), pc, false)
	dir := rpDir(file) // .../src/runtime/
	if n := len(dir) - len("runtime/"); n > 0 {
		rpGoSource = dir[:n]
	}
}

// rpOfGo reports whether a function is of the library.
func rpOfGo(name, file string) bool {
	if n := len(rpGoSource); n > 0 {
		return len(file) > n && file[:n] == rpGoSource || file == "<autogenerated>"
	}
	for i := 0; i < len(name) && name[i] != '/'; i++ { // the first element of a module's path has a dot
		if name[i] == '.' {
			return rpPackageOf(name) == name[:i]
		}
	}
	return true
}

// rpStackWord is a word of gp's stack, which lies so many bytes before the stack's end. Whatever
// may move the stack is over when it looks.
//
//go:nosplit
func rpStackWord(gp *g, before uintptr) uintptr {
	return *(*uintptr)(unsafe.Pointer(gp.stack.hi - before))
}

// rpFrameUp is the depth of the frame above the one at that depth, and where that one returns to; 0
// if there is none.
//
//go:nosplit
func rpFrameUp(gp *g, depth uintptr) (up, pc uintptr) {
	if depth <= goarch.PtrSize || depth >= gp.stack.hi-gp.stack.lo {
		return 0, 0
	}
	pc = rpStackWord(gp, depth-goarch.PtrSize)
	if up = gp.stack.hi - rpStackWord(gp, depth); up >= depth {
		up = 0
	}
	return up, pc
}

// tookLock notes the callback of the lock that s, the state of gp, took last. gp is running here,
// or parked.
func (s *rpG) tookLock(gp *g) {
	if !rpMethodsKnown {
		s.calledBack(rpCallback{depth: rpAtOnce})
		return
	}
	depth := gp.stack.hi - gp.sched.bp
	if gp == getg() {
		depth = gp.stack.hi - getfp()
	}
	recorded, in := false, uintptr(0)
	for n := 0; ; n++ {
		up, pc := rpFrameUp(gp, depth)
		if pc == 0 {
			return
		}
		code := rpCodeOf(pc) // which may move the stack
		switch {
		case code == rpCodeRecorded:
			recorded = true
		case code == rpCodeBoth:
			_, inline := rpLookCode(pc)
			_, back := rpFrameUp(gp, up)
			s.calledBack(rpCallback{up, back, findfunc(pc - 1).entry(), pc, uintptr(inline) + 1})
			return
		case code == rpCodeUnwinds && !recorded:
			s.calledBack(rpCallback{depth: rpAtOnce})
			return
		case code == rpCodeLibrary && rpIsFirst(gp, up):
			return
		case code >= rpCodeLibrary && !recorded:
			return
		}
		if recorded && (code >= rpCodeLibrary || n >= rpCallbackFrames) {
			s.calledBack(rpCallback{depth, pc, findfunc(in - 1).entry(), in, 0})
			return
		}
		depth, in = up, pc
	}
}

// rpIsFirst reports whether the frame at depth is that of its goroutine's first function.
func rpIsFirst(gp *g, depth uintptr) bool {
	_, pc := rpFrameUp(gp, depth)
	return pc == 0 || findfunc(pc).funcID == abi.FuncID_goexit
}

// calledBack notes the callback of the lock that was taken last.
func (s *rpG) calledBack(by rpCallback) {
	at := &s.heldBy[min(uint32(s.nheld-1), rpHeldLen)]
	if at.depth == 0 {
		s.watched++
		*at = by
	} else { // (J9)
		*at = rpCallback{depth: rpAtOnce}
	}
}

// forgetCallback forgets the callback of lock i, whose place the last lock takes.
//
//go:nosplit
func (s *rpG) forgetCallback(i, last int32) {
	if s.heldBy[i].depth != 0 {
		s.watched--
	}
	s.heldBy[i] = s.heldBy[last]
	s.heldBy[last] = rpCallback{}
}

// outlived makes the sections that s is in opaque if one of them has outlived its callback. It is
// called before each record of s that is made while s has a lock with a callback.
//
//go:noinline
func (s *rpG) outlived() {
	gp := getg()
	if gp != gp.m.curg || gp.racectx != uintptr(unsafe.Pointer(s)) {
		return // another record comes
	}
	depth := gp.stack.hi - getfp()
	for i := range s.heldBy {
		if by := &s.heldBy[i]; by.depth != 0 && !by.runs(gp, depth) {
			s.heldBy, s.watched = [rpHeldLen + 1]rpCallback{}, 0
			if s.quiet != rpQuiet {
				s.opaque(rpOpaque, nil)
			}
			return
		}
	}
}

// runs reports whether the callback runs, below the frame at depth of gp, which is running here.
// (J7)
func (by *rpCallback) runs(gp *g, depth uintptr) bool {
	if by.depth == rpAtOnce {
		return false
	}
	in, unwinds := uintptr(0), 0
	for n := 0; depth != by.depth; n++ {
		up, pc := rpFrameUp(gp, depth)
		if pc == 0 || up < by.depth || n > 2*rpCallbackFrames {
			return false
		}
		if gp._panic != nil && rpCodeOf(pc) == rpCodeUnwinds {
			unwinds++
		}
		depth, in = up, pc
	}
	if _, back := rpFrameUp(gp, depth); back != by.back {
		return false
	}
	frame := gp.stack.hi - depth
	for p := gp._panic; unwinds > 0 && p != nil; p, unwinds = p.link, unwinds-1 {
		if sp := uintptr(p.sp); sp == 0 || sp > frame+goarch.PtrSize { // of a caller of the callback
			return false
		}
	}
	if in == by.in {
		return true
	}
	f := findfunc(in - 1)
	if !f.valid() || f.entry() != by.entry || by.inline != 0 && !rpInLine(f, in, int32(by.inline-1)) {
		return false
	}
	by.in = in
	return true
}

// rpInLine reports whether pc is in the function with that index that is inlined into f. (J8)
func rpInLine(f funcInfo, pc uintptr, inline int32) bool {
	for u, uf := newInlineUnwinder(f, pc-1); uf.valid(); uf = u.next(uf) {
		if uf.index == inline {
			return true
		}
	}
	return false
}
