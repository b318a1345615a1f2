//go:build racepred_seam

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"unsafe"
)

// Wrappers: the methods that the compiler makes. They read the memory that leads to the real method
// (instrument/R5).
//
// Rewritten code has a function for each that records the reads and calls the wrapper. Here it
// replaces the wrapper wherever the linked program looks methods up:
//
//	(F1) in the tables of methods by which interfaces are called (itabs), those that the compiler
//	     made and those that were made up to now: of pointers, and of values that are kept by a
//	     pointer, if the wrapper reads more than the value itself, which is never written;
//	(F2) in the types, from which later itabs are made, and where reflection looks;
//	(F3) in the function value of the method expression. The function itself has another one, by
//	     which it calls the wrapper;
//	(F4) the function counts as a wrapper, so that it is in no stack, and recover works through it.
//	     FuncForPC takes it for the wrapper.
//
// All of that is constant data, so its pages are made writable while it is changed. What is read at
// that moment, by goroutines that earlier packages have started, is the old word or the new one,
// and both do.

// rpForward is a function that replaces a wrapper.
type rpForward struct {
	wrapper, forward uintptr // where they begin
	value            *uintptr
	boxed            bool // also for values that interfaces keep by a pointer
}

var (
	rpForwards    []rpForward // of the type at hand
	rpForwarding  map[uintptr]bool
	rpForwarders  *rpForwarder
	rpNoForwards  bool   // the system refuses
	rpUnforwarded uint64 // wrappers that were left where they are, those of dependencies not counted

	rpInDependency bool      // the package that is being initialized is one
	rpOpenedPages  []uintptr // by rpOpen
)

// RacepredWrapper notes that forward replaces wrapper, a method expression, and sets *to to
// wrapper.
func RacepredWrapper[F any](to *F, wrapper, forward F, boxed bool) {
	rpWrapper((*unsafe.Pointer)(unsafe.Pointer(to)), *(**uintptr)(unsafe.Pointer(&wrapper)), **(**uintptr)(unsafe.Pointer(&forward)), boxed)
}

func rpWrapper(to *unsafe.Pointer, wrapper *uintptr, forward uintptr, boxed bool) {
	own := new(uintptr)
	*own = *wrapper
	*to = unsafe.Pointer(own)
	if rpForwarding == nil {
		rpForwarding = map[uintptr]bool{}
	}
	if !rpForwarding[*wrapper] { // two packages may have one type
		rpForwards = append(rpForwards, rpForward{*wrapper, forward, wrapper, boxed})
	}
}

// RacepredWrapped replaces the wrappers of a type's methods by the functions that were named since
// the last call. pointer is a pointer to the type.
func RacepredWrapped(pointer any) {
	all := rpForwards
	rpForwards = nil
	if rpForwardsRefused() {
		rpLeaveForwards(all)
		return
	}
	p := efaceOf(&pointer)._type
	elem := (*ptrtype)(unsafe.Pointer(p)).Elem
	for _, f := range all {
		rpForwarding[f.forward] = true
		atomicstorep(unsafe.Pointer(&rpForwarders), unsafe.Pointer(&rpForwarder{f.wrapper, f.forward, rpForwarders}))
		if fn := findfunc(f.forward); fn.valid() && rpOpen(unsafe.Pointer(&fn.funcID)) { // (F4)
			fn.funcID = abi.FuncIDWrapper
		}
		if rpOpen(unsafe.Pointer(f.value)) { // (F3)
			*f.value = f.forward
		}
		f.inType(p, true)
		f.inType(elem, f.boxed)
	}
	lock(&itabLock)
	iterate_itabs(func(m *itab) { // (F1)
		if m.Type != p && m.Type != elem {
			return
		}
		for _, f := range all {
			if m.Type == p || f.boxed || m.Type.IsDirectIface() {
				f.inItab(m)
			}
		}
	})
	unlock(&itabLock)
	rpClosePages()
	if rpNoForwards {
		rpLeaveForwards(all)
	}
}

// rpLeaveForwards counts wrappers of the package that is being initialized.
func rpLeaveForwards(all []rpForward) {
	if !rpInDependency {
		rpUnforwarded += uint64(len(all))
	}
}

// rpForwarder is a function in a wrapper's place. There is a list of them, which goroutines may go
// through that earlier packages have started.
type rpForwarder struct {
	wrapper, forward uintptr
	next             *rpForwarder
}

// rpNamed is the function at pc, and pc. Where a function in a wrapper's place begins it is the
// wrapper. (F4)
func rpNamed(pc uintptr) (funcInfo, uintptr) {
	f := findfunc(pc)
	if f.valid() && f.funcID == abi.FuncIDWrapper && pc == f.entry() {
		for w := (*rpForwarder)(atomic.Loadp(unsafe.Pointer(&rpForwarders))); w != nil; w = w.next {
			if w.forward == pc {
				return findfunc(w.wrapper), w.wrapper
			}
		}
	}
	return f, pc
}

// rp_unforwarded is how many wrappers have reads that are not recorded.
//
//go:linkname rp_unforwarded internal/racepred/process.runtime_unforwarded
func rp_unforwarded() uint64 { return rpUnforwarded }

// inType changes a type's methods. (F2)
func (f *rpForward) inType(t *_type, called bool) {
	x := t.Uncommon()
	if x == nil {
		return
	}
	at := toRType(t)
	for i := range x.Methods() {
		m := &x.Methods()[i]
		if called || t.IsDirectIface() {
			f.inMethod(at, &m.Ifn)
		}
		f.inMethod(at, &m.Tfn)
	}
}

func (f *rpForward) inMethod(t rtype, off *abi.TextOff) {
	if *off == -1 || *off == 0 || uintptr(t.textOff(*off)) != f.wrapper || !rpOpen(unsafe.Pointer(off)) {
		return
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		if md.text <= f.forward && f.forward < md.etext {
			if to, ok := md.textOff(f.forward); ok {
				*off = abi.TextOff(to)
			}
			return
		}
	}
}

func (f *rpForward) inItab(m *itab) {
	fun := (*[1 << 16]uintptr)(unsafe.Pointer(&m.Fun[0]))
	if fun[0] == 0 {
		return // the type lacks a method
	}
	for i := range m.Inter.Methods {
		if fun[i] == f.wrapper && rpOpen(unsafe.Pointer(&fun[i])) {
			fun[i] = f.forward
		}
	}
}

// rpOpen makes a word of constant data writable, and reports whether it is.
func rpOpen(p unsafe.Pointer) bool {
	page := uintptr(p) &^ (physPageSize - 1)
	for _, o := range rpOpenedPages {
		if o == page {
			return true
		}
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		if md.rodata <= page && page+physPageSize <= md.noptrdata {
			if !rpProtect(page, true) {
				rpNoForwards = true
				return false
			}
			rpOpenedPages = append(rpOpenedPages, page)
			return true
		}
		if page < md.noptrdata && md.text < page+physPageSize {
			rpNoForwards = true // it has something else, too
			return false
		}
	}
	return true
}

// rpClosePages makes constant data constant again.
func rpClosePages() {
	for _, page := range rpOpenedPages {
		rpProtect(page, false)
	}
	rpOpenedPages = rpOpenedPages[:0]
}
