//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"unsafe"
)

// Unrecorded methods that are called through interfaces. Rewritten code takes a call of
// error.Error, of a context's or a locker's method for harmless, and so do functions of the
// standard library that it calls (errors.Is, fmt.Println, context.WithCancel, sync.Cond). Whether
// it is harmless depends on the value in the interface.
//
//	(M1) A method's accesses are unrecorded if it is declared in a package that is neither rewritten
//	     nor of the standard library, or if the compiler made it for a type that embeds a type of
//	     such a package (a dependency's error, or a type that embeds one); and if it is a method of
//	     ChaCha8 in math/rand/v2, whose state belongs to a generator of the runtime; and if it is a
//	     wrapper whose reads nobody records (unread.go).
//	(M2) Of these, those count that have the name of a method that is taken for harmless. So do all
//	     methods of an interface that only its own package can implement, except by embedding.
//	(M3) In the tables of methods of interfaces (itabs) a stub replaces the method. It records an
//	     opaque call if the goroutine holds a lock, and jumps to the method with all registers as
//	     they were, so it is in no stack. Itabs that exist when all packages are initialized are
//	     changed then, later ones when they are made.
//	(M4) A method for which there is no stub is counted, and the report says so.
//
// A call without an itab stays as it was. There are two kinds: the compiler knows the type of the
// receiver, which rewritten code hides from it (instrument/R5); or the call is through a type
// parameter, for which rewritten code calls RacepredGiven.

// rpMethodStubs is how many stubs there are (methods_amd64.s, methods_arm64.s).
const rpMethodStubs = 4096

// rpHarmless are the names of methods that are taken for harmless (M2). They are those of error,
// context.Context and sync.Locker; what package errors and package context ask such values for;
// what they are printed by, by package fmt and package slog; and sources of random numbers.
var rpHarmless = [...]string{
	"Error", "Is", "As", "Unwrap",
	"Deadline", "Done", "Err", "Value", "AfterFunc",
	"Lock", "Unlock",
	"Format", "GoString", "String", "LogValue", "AppendText", "MarshalText", "MarshalJSON",
	"Int63", "Uint64", "Seed",
}

var (
	rpMethods      [rpMethodStubs]uintptr    // by stub: where the method begins
	rpMethodSlots  [2 * rpMethodStubs]uint16 // stubs by method: one more than the number, 0 is none
	rpMethodsInUse uintptr
	rpMethodsLeft  uint64 // without a stub
	rpMethodsKnown bool   // from now on, itabs are made with stubs
)

// rpStubMethods puts stubs into all itabs. All packages are initialized. (M3)
func rpStubMethods() {
	rpKnowPackages()
	if len(rpPackages) == 0 {
		return // nothing is predicted
	}
	lock(&itabLock)
	iterate_itabs(rpStubItab)
	rpMethodsKnown = true
	unlock(&itabLock)
	rpClosePages()
}

func rpStubItab(m *itab) {
	fun := (*[1 << 16]uintptr)(unsafe.Pointer(&m.Fun[0]))
	if fun[0] == 0 {
		return // the type lacks a method
	}
	for i := range m.Inter.Methods {
		to := rpStubOf(m.Inter, m.Type, i, fun[i])
		if to == fun[i] {
			continue
		}
		if rpOpen(unsafe.Pointer(&fun[i])) {
			fun[i] = to
		} else {
			rpMethodsLeft++
		}
	}
}

// rpItabMethod is the entry of an itab that is being made for fn, its method number i.
func rpItabMethod(inter *interfacetype, t *_type, i int, fn unsafe.Pointer) unsafe.Pointer {
	if !rpMethodsKnown {
		return fn
	}
	return unsafe.Pointer(rpStubOf(inter, t, i, uintptr(fn)))
}

// rpStubOf is the entry of an itab for fn, its method number i: fn itself, or a stub. itabLock is
// held.
func rpStubOf(inter *interfacetype, t *_type, i int, fn uintptr) uintptr {
	if !rpTakenForHarmless(inter, i) || !rpLeftOut(t, fn) && !rpUnreadMethod(t, toRType(&inter.Type).nameOff(inter.Methods[i].Name).Name(), fn) {
		return fn
	}
	slot := (fn >> 4) % uintptr(len(rpMethodSlots))
	for ; rpMethodSlots[slot] != 0; slot = (slot + 1) % uintptr(len(rpMethodSlots)) {
		if n := uintptr(rpMethodSlots[slot] - 1); rpMethods[n] == fn {
			return rpStub(n)
		}
	}
	n := rpMethodsInUse
	if n == rpMethodStubs || rpStub(n) == 0 {
		rpMethodsLeft++
		return fn
	}
	rpMethodsInUse++
	rpMethods[n] = fn
	rpMethodSlots[slot] = uint16(n + 1)
	return rpStub(n)
}

// rpTakenForHarmless reports whether calls of an interface's method number i are taken for
// harmless. (M2)
func rpTakenForHarmless(inter *interfacetype, i int) bool {
	t := toRType(&inter.Type)
	name := t.nameOff(inter.Methods[i].Name).Name()
	for _, h := range rpHarmless {
		if name == h {
			return true
		}
	}
	for j := range inter.Methods {
		if !t.nameOff(inter.Methods[j].Name).IsExported() {
			return true
		}
	}
	return false
}

// rpLeftOut reports whether fn, a method of type t, is unrecorded. (M1)
func rpLeftOut(t *_type, fn uintptr) bool {
	if rpOfDependency(t) || toRType(t).string() == "*rand.ChaCha8" {
		return true
	}
	return rpEmbedsDependency(t, 0) && rpMadeUp(fn)
}

// rpMadeUp reports whether the compiler made a method, or it replaces one that the compiler made
// (wrappers.go). A method that only jumps to another one does not count.
func rpMadeUp(fn uintptr) bool {
	f := findfunc(fn)
	if !f.valid() {
		return true
	}
	file, _ := funcline1(f, fn, false)
	return f.funcID == abi.FuncIDWrapper || file == "<autogenerated>"
}

// rpOfDependency reports whether the package of a type, or of the type that it points to, is
// neither rewritten nor of the standard library.
func rpOfDependency(t *_type) bool {
	if x := t.Uncommon(); x != nil {
		return rpDependency(toRType(t).nameOff(x.PkgPath).Name())
	}
	if t.Kind() == abi.Pointer {
		t = (*ptrtype)(unsafe.Pointer(t)).Elem
		if x := t.Uncommon(); x != nil {
			return rpDependency(toRType(t).nameOff(x.PkgPath).Name())
		}
	}
	return false
}

// rpEmbedsDependency reports whether a type that is embedded in a type, or in what it points to, is
// of a dependency. An embedded interface does not count, since the value in it has an itab of its
// own.
func rpEmbedsDependency(t *_type, depth int) bool {
	if t.Kind() == abi.Pointer {
		t = (*ptrtype)(unsafe.Pointer(t)).Elem
	}
	if t.Kind() != abi.Struct {
		return false
	}
	if depth > 8 {
		return true
	}
	s := (*structtype)(unsafe.Pointer(t))
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name.IsEmbedded() && f.Typ.Kind() != abi.Interface && (rpOfDependency(f.Typ) || rpEmbedsDependency(f.Typ, depth+1)) {
			return true
		}
	}
	return false
}

func rpDependency(path string) bool {
	if path == "" || path == "main" {
		return false
	}
	for i := range rpPackages {
		if rpPackages[i].path == path {
			return false
		}
	}
	return !rpOfStandard(path)
}

// rpOfStandard reports whether a package that is not rewritten is of the standard library.
func rpOfStandard(path string) bool {
	first := path
	for i := range len(path) {
		if path[i] == '/' {
			first = path[:i]
			break
		}
	}
	for _, dir := range rpLibrary {
		if dir == first {
			return true
		}
	}
	return false
}

// RacepredGiven returns v, a value of the type of a type parameter, of which a method is about to
// be called that is taken for harmless.
func RacepredGiven[T any](v T, site *byte) T {
	if s := rpSelf(); s != nil && s.quiet != rpQuiet && s.nheld != 0 {
		if t := abi.TypeFor[T](); rpReadByGiven(t) || rpOfDependency(t) || rpEmbedsDependency(t, 0) {
			s.opaque(rpOpaque, site)
		}
	}
	return v
}

// rp_unstubbed is how many methods were left without a stub. (M4)
//
//go:linkname rp_unstubbed internal/racepred/process.runtime_unstubbed
func rp_unstubbed() uint64 { return rpMethodsLeft }
