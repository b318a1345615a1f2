//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"unsafe"
)

// Wrappers (wrappers.go) for which rewritten code has no function, so that nobody records what they
// read: those of generic types, of types in functions and without a name, of methods whose
// parameters cannot be named; of types with very many wrappers, those that nobody is likely to
// call; all that are called through a type parameter; all where the system refuses to change
// tables. A call of one counts as a call of unrecorded code (callee.go, J3; methods.go, M1;
// RacepredGiven).

// rpUnreadMethod reports whether fn, which is in a table as t's method of that name, is a wrapper
// of the compiler that reads what others may change.
func rpUnreadMethod(t *_type, name string, fn uintptr) bool {
	return rpWrapperReads(t, name, 0) && rpMadeUp(fn) && !rpIsForward(fn)
}

// rpUnreadMethods reports whether one of the methods that are called by tab is such a wrapper.
func rpUnreadMethods(tab *itab) bool {
	fun := (*[1 << 16]uintptr)(unsafe.Pointer(&tab.Fun[0]))
	r := toRType(&tab.Inter.Type)
	for i := range tab.Inter.Methods {
		if rpUnreadMethod(tab.Type, r.nameOff(tab.Inter.Methods[i].Name).Name(), fun[i]) {
			return true
		}
	}
	return false
}

// rpAnyMethod reports whether is holds for a method of t.
func rpAnyMethod(t *_type, is func(name string, m *abi.Method) bool) bool {
	x := t.Uncommon()
	if x == nil {
		return false
	}
	for i := range x.Methods() {
		m := &x.Methods()[i]
		if is(toRType(t).nameOff(m.Name).Name(), m) {
			return true
		}
	}
	return false
}

// rpWrapperReads reports whether t's method of that name, if the compiler made it, reads more than
// t's value: of a pointer, if values have the method, too; of a struct, if the method comes from
// what an embedded pointer points to, and values of that have it.
func rpWrapperReads(t *_type, name string, depth int) bool {
	switch t.Kind() {
	case abi.Pointer:
		return rpAnyMethod((*ptrtype)(unsafe.Pointer(t)).Elem, func(n string, _ *abi.Method) bool { return n == name })
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		for i := range s.Fields {
			f := &s.Fields[i]
			if f.Name.IsEmbedded() && f.Typ.Kind() != abi.Interface && (depth > 8 || rpWrapperReads(f.Typ, name, depth+1)) {
				return true
			}
		}
	}
	return false
}

// rpIsForward reports whether fn is a function that replaces a wrapper: their names begin as all of
// the rewriter's.
func rpIsForward(fn uintptr) bool {
	const prefix = "_racepred"
	name := funcname(findfunc(fn))
	at := len(rpPackageOf(name)) + 1
	return len(name) >= at+len(prefix) && name[at:at+len(prefix)] == prefix
}

// rpReadByGiven reports whether a wrapper of t reads what others may change. Calls through a type
// parameter go to the wrappers themselves.
func rpReadByGiven(t *_type) bool {
	key := uintptr(unsafe.Pointer(t))
	at := &rpKnownGiven[key>>5%uintptr(len(rpKnownGiven))]
	yes, known := rpIsKnown(at, key)
	if !known {
		yes = rpAnyMethod(t, func(name string, _ *abi.Method) bool { return rpWrapperReads(t, name, 0) })
		rpNoteKnown(at, key, yes)
	}
	return yes
}

// rpKnownGiven is what rpReadByGiven found, by type: as rpKnownItabs.
var rpKnownGiven [1 << 8]uintptr
