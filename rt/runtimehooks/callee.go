//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"unsafe"
)

// Calls of func values and of methods of interfaces. Before such a call, rewritten code asks
// whether the callee is recorded. If it is not, or if that is not certain, the call is opaque.
//
//	(J1) A package is recorded in full if it is rewritten and has no function that is left
//	     unrecorded, like one in assembly. So is an external test package if the package that it
//	     tests is.
//	(J2) A function is recorded if its name is of such a package and its file lies in the directory
//	     of one. A literal of another package that was inlined into this one has a name of this one,
//	     and a file of the other. Wrappers other than J5's are not recorded: they may lead anywhere.
//	(J3) The methods of a type are recorded if it is declared in such a package, and so is each type
//	     that it embeds, or that is a Mutex or RWMutex of package sync (the other types there call
//	     what they are given), unless the interface has a method for which the type has a wrapper
//	     with reads that nobody records (unread.go). For an embedded interface, what it holds at
//	     the call counts (J6), and before a call that is asked about once more it may hold
//	     anything.
//	(J4) Until all packages are initialized, no callee counts as recorded.
//	(J5) A method value, x.M, is recorded if the method is one that is declared, and recorded.
//	(J6) The wrapper of a method of an embedded interface calls the method of the value that is in
//	     it. So where only such interfaces keep J3 from a type, the value is looked at, as the
//	     wrapper does right after.
//	(J10) A literal of package context, wherever it was inlined, is a function that cancels a
//	      context or stops an AfterFunc, and as harmless as the functions that return it.
//	(J11) A method of a type of the library is recorded if package library has it as contained, the
//	     type declares it, and it is given no function. The compiler's wrapper reads the value in
//	     the interface, which nobody changes if it is no pointer.

// rpPackage is a rewritten package.
type rpPackage struct {
	path, dir string
	partly    bool // not recorded in full
}

var (
	rpPackages []rpPackage
	rpPartly   []string // packages that are not recorded in full

	// What is known: the addresses of functions and itabs, with a 1 if they, or their methods, are
	// recorded, and a 2 if that depends on embedded interfaces (J6).
	rpKnownFuncs [1 << 10]uintptr
	rpKnownItabs [1 << 8]uintptr

	rpContainsHook func(symbol string) bool // library.Contains
)

// RacepredCallee returns f, a func value that is about to be called.
func RacepredCallee[F any](f F, site *byte) F {
	if s := rpSelf(); s != nil && s.nheld != 0 && s.quiet != rpQuiet && !rpRecordedFunc(*(*unsafe.Pointer)(unsafe.Pointer(&f))) {
		s.opaque(rpOpaque, site)
	}
	return f
}

// RacepredReceiver returns v, a value in an interface of which a method is about to be called, in a
// way that the compiler does not see through (as RacepredIndirect).
//
//go:noinline
func RacepredReceiver[T any](v T, site *byte) T {
	if s := rpSelf(); s != nil && s.nheld != 0 && s.quiet != rpQuiet && !rpRecordedValue((*iface)(unsafe.Pointer(&v)), 0) {
		s.opaque(rpOpaque, site)
	}
	return v
}

// RacepredCalleeNoted and RacepredReceiverNoted are the same for calls that RacepredAnswered asks
// about once more: deferred calls, and calls for which a lock may be taken after this question,
// before or during the call. For this the byte of the site notes that a callee was not recorded.

func RacepredCalleeNoted[F any](f F, site *byte) F {
	if s := rpSelf(); s != nil && !rpRecordedFunc(*(*unsafe.Pointer)(unsafe.Pointer(&f))) {
		s.opaqueFrom(site)
	}
	return f
}

//go:noinline
func RacepredReceiverNoted[T any](v T, site *byte) T {
	if s := rpSelf(); s != nil && rpRecordedMethods((*iface)(unsafe.Pointer(&v)).tab) != rpRecorded {
		s.opaqueFrom(site)
	}
	return v
}

// opaqueFrom notes that unrecorded code is called at site, now and later.
func (s *rpG) opaqueFrom(site *byte) {
	if rpMethodsKnown { // (J4) holds only until then
		atomic.Or8(site, rpAsksUnrecorded)
	}
	if s.nheld != 0 && s.quiet != rpQuiet {
		s.opaque(rpOpaque, site)
	}
}

// RacepredAnswered is a recording call for RacepredAfter: RacepredOpaque, unless all callees at
// site have been recorded so far.
func RacepredAnswered(site *byte) *byte {
	if s := rpSelf(); s != nil && s.nheld != 0 && s.quiet != rpQuiet && (!rpMethodsKnown || atomic.Load8(site)&rpAsksUnrecorded != 0) {
		s.opaque(rpOpaque, site)
	}
	return nil
}

// RacepredPartly notes that a package is not recorded in full.
func RacepredPartly(pkg string) { rpPartly = append(rpPartly, pkg) }

// rpKnowPackages makes the list of packages. All are initialized.
func rpKnowPackages() {
	rpFindGoSource()
	for i := range rpSiteTables {
		t := &rpSiteTables[i]
		if i > 0 && rpSiteTables[i-1].pkg == t.pkg { // a package's files come together
			continue
		}
		p := rpPackage{path: t.pkg, dir: t.dir}
		for _, partly := range rpPartly {
			p.partly = p.partly || partly == t.pkg
		}
		rpPackages = append(rpPackages, p)
	}
	const suffix = "_test" // its files lie in the directory of the package that it tests
	for i := range rpPackages {
		p := &rpPackages[i]
		if n := len(p.path) - len(suffix); n > 0 && p.path[n:] == suffix && !rpInFull(p.path[:n]) {
			p.partly = true
		}
	}
}

// rpInFull reports whether the package with that path, which may be as the linker writes it, is
// recorded in full (J1).
func rpInFull(path string) bool { return rpIsPackage(path, false) }

// rpIsPackage reports whether the package with that path is rewritten; one that is partly recorded
// counts if partly is set.
func rpIsPackage(path string, partly bool) bool {
	for i := range rpPackages {
		if p := &rpPackages[i]; (partly || !p.partly) && rpSamePath(path, p.path) {
			return true
		}
	}
	return false
}

// rpIsPackageAt is rpIsPackage by a directory.
func rpIsPackageAt(dir string, partly bool) bool {
	for i := range rpPackages {
		if p := &rpPackages[i]; dir != "" && p.dir == dir && (partly || !p.partly) {
			return true
		}
	}
	return false
}

// rpRecordedBy reports whether a function with that name, in that file, is recorded (J2), or may be
// since its package is, partly.
func rpRecordedBy(name, file string, partly bool) bool {
	return rpIsPackageAt(rpDir(file), partly) && rpIsPackage(rpPackageOf(name), partly)
}

// rpIsKnown looks for key, an even number, in a table of what is known.
func rpIsKnown(at *uintptr, key uintptr) (yes, known bool) {
	v := atomic.Loaduintptr(at)
	return v&1 != 0, v&^1 == key
}

// rpNoteKnown adds to a table of what is known. (J4)
func rpNoteKnown(at *uintptr, key uintptr, yes bool) {
	if yes {
		key |= 1
	}
	if rpMethodsKnown {
		atomic.Storeuintptr(at, key)
	}
}

// rpRecordedFunc reports whether the function of a func value is recorded. A call of nil panics.
func rpRecordedFunc(f unsafe.Pointer) bool {
	if f == nil {
		return true
	}
	pc := *(*uintptr)(f)
	at := &rpKnownFuncs[pc>>4%uintptr(len(rpKnownFuncs))]
	yes, known := rpIsKnown(at, pc)
	if !known {
		yes = rpLookFunc(pc)
		rpNoteKnown(at, pc, yes)
	}
	return yes
}

// (J2)
func rpLookFunc(pc uintptr) bool {
	f := findfunc(pc)
	if !f.valid() || f.entry() != pc {
		return false
	}
	f = rpMethodOfValue(f)
	if !f.valid() || rpMadeUp(f.entry()) {
		return false
	}
	file, _ := funcline1(f, f.entry(), false)
	return rpRecordedBy(funcname(f), file, false) || rpOfContext(funcname(f), file)
}

// rpOfContext is (J10).
func rpOfContext(name, file string) bool {
	const source, literal = "context/context.go", ".func"
	if n := len(file) - len(source); n < 0 || file[n:] != source || file[:n] != rpGoSource {
		return false
	}
	for i := len(name) - 1; i > len(literal); i-- {
		if name[i] == '.' {
			return name[i:min(i+len(literal), len(name))] == literal
		}
	}
	return false
}

// rpMethodOfValue is the method of a method value, and any other function itself (J5). A method
// that the binary has only inlined is not found. This looks at the names of all functions, a
// millisecond, once for each method value.
func rpMethodOfValue(f funcInfo) funcInfo {
	const suffix = "-fm"
	name := funcname(f)
	n := len(name) - len(suffix)
	if n <= 0 || name[n:] != suffix {
		return f
	}
	for datap := &firstmoduledata; datap != nil; datap = datap.next {
		for i := 0; i < len(datap.ftab)-1; i++ {
			m := funcInfo{(*_func)(unsafe.Pointer(&datap.pclntable[datap.ftab[i].funcoff])), datap}
			if funcname(m) == name[:n] {
				return m
			}
		}
	}
	return funcInfo{}
}

// rpSamePath reports whether symbol is path. In names of functions the linker writes a dot in a
// path's last element, and other characters, as %2e.
func rpSamePath(symbol, path string) bool {
	at := 0
	for i := 0; i < len(symbol); i++ {
		c := symbol[i]
		if c == '%' && i+2 < len(symbol) {
			c = rpHexDigit(symbol[i+1])<<4 | rpHexDigit(symbol[i+2])
			i += 2
		}
		if at == len(path) || path[at] != c {
			return false
		}
		at++
	}
	return at == len(path)
}

func rpHexDigit(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// rpPackageOf is the path of the package that a function's name begins with.
func rpPackageOf(name string) string {
	end := 0
	for i := range len(name) {
		switch name[i] {
		case '/':
			end = 0
		case '.':
			if end == 0 {
				end = i
			}
		case '[':
			return name[:end]
		}
	}
	return name[:end]
}

// rpDir is the directory of a file, with its last slash.
func rpDir(file string) string {
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' || file[i] == '\\' {
			return file[:i+1]
		}
	}
	return ""
}

// rpAnswer says whether the methods of a type are recorded.
type rpAnswer uintptr

const (
	rpUnrecorded rpAnswer = iota
	rpRecorded
	rpByEmbedded // that is so if the methods of what its embedded interfaces hold are (J6)
)

// rpRecordedMethods is about the methods of a value in an interface. A call of a method of nil
// panics.
func rpRecordedMethods(tab *itab) rpAnswer {
	if tab == nil {
		return rpRecorded
	}
	key := uintptr(unsafe.Pointer(tab))
	at := &rpKnownItabs[key>>5%uintptr(len(rpKnownItabs))]
	if v := atomic.Loaduintptr(at); v&^3 == key {
		return rpAnswer(v & 3)
	}
	answer := rpLookType(tab.Type, 0)
	if answer != rpUnrecorded && rpUnreadMethods(tab) {
		answer = rpUnrecorded
	}
	if answer != rpRecorded && rpLookMethods(tab) {
		answer = rpRecorded
	}
	if rpMethodsKnown { // (J4)
		atomic.Storeuintptr(at, key|uintptr(answer))
	}
	return answer
}

// rpRecordedValue reports whether the methods of a value in an interface are recorded. (J6)
func rpRecordedValue(i *iface, depth int) bool {
	answer := rpRecordedMethods(i.tab)
	if answer != rpByEmbedded {
		return answer == rpRecorded
	}
	t, at := i.tab.Type, i.data
	switch {
	case t.Kind() == abi.Pointer:
		t = (*ptrtype)(unsafe.Pointer(t)).Elem
	case t.IsDirectIface():
		at = unsafe.Pointer(&i.data)
	}
	return rpRecordedEmbedded(t, at, depth)
}

// rpRecordedEmbedded is about what the embedded interfaces of the value at an address hold. One
// that holds nothing panics when it is called.
func rpRecordedEmbedded(t *_type, at unsafe.Pointer, depth int) bool {
	if depth > 8 {
		return false
	}
	if at == nil || t.Kind() != abi.Struct {
		return true
	}
	s := (*structtype)(unsafe.Pointer(t))
	for i := range s.Fields {
		f := &s.Fields[i]
		if !f.Name.IsEmbedded() {
			continue
		}
		p := add(at, f.Offset)
		switch f.Typ.Kind() {
		case abi.Interface:
			if len((*interfacetype)(unsafe.Pointer(f.Typ)).Methods) > 0 && !rpRecordedValue((*iface)(p), depth+1) {
				return false
			}
		case abi.Pointer:
			if !rpRecordedEmbedded((*ptrtype)(unsafe.Pointer(f.Typ)).Elem, *(*unsafe.Pointer)(p), depth+1) {
				return false
			}
		case abi.Struct:
			if !rpRecordedEmbedded(f.Typ, p, depth+1) {
				return false
			}
		}
	}
	return true
}

// (J11)
func rpLookMethods(tab *itab) bool {
	if !rpMethodsKnown { // (J4)
		return false
	}
	fun := (*[1 << 16]uintptr)(unsafe.Pointer(&tab.Fun[0]))
	r := toRType(&tab.Inter.Type)
	for i := range tab.Inter.Methods {
		f := findfunc(fun[i])
		if !f.valid() || f.entry() != fun[i] || tab.Type.Kind() == abi.Pointer && rpMadeUp(fun[i]) || !rpContainsHook(funcname(f)) {
			return false
		}
		for _, t := range (*functype)(unsafe.Pointer(r.typeOff(tab.Inter.Methods[i].Typ))).InSlice() {
			if t.Kind() == abi.Func {
				return false
			}
		}
	}
	return true
}

// (J3)
func rpLookType(t *_type, depth int) rpAnswer {
	if depth > 0 && t.Kind() == abi.Interface {
		return rpByEmbedded
	}
	if t.Kind() == abi.Pointer {
		t = (*ptrtype)(unsafe.Pointer(t)).Elem
	}
	x := t.Uncommon()
	if x == nil || t.Kind() == abi.Interface {
		return rpUnrecorded
	}
	r := toRType(t)
	path := r.nameOff(x.PkgPath).Name()
	if depth > 0 && (r.string() == "sync.Mutex" || r.string() == "sync.RWMutex") && path == "sync" {
		return rpRecorded
	}
	if depth > 8 || !rpInFull(path) {
		return rpUnrecorded
	}
	answer := rpRecorded
	if t.Kind() != abi.Struct {
		return answer
	}
	s := (*structtype)(unsafe.Pointer(t))
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Name.IsEmbedded() {
			switch rpLookType(f.Typ, depth+1) {
			case rpUnrecorded:
				return rpUnrecorded
			case rpByEmbedded:
				answer = rpByEmbedded
			}
		}
	}
	return answer
}
