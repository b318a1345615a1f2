package predict

import (
	"unsafe"

	"github.com/racepred/racepred/internal/trace"
)

// Objects are the addresses of which predictors know something. Predictors that take in the same
// events share them: an address is looked up once, when it is used and when its memory is allocated
// anew, and what they know of it lies side by side, each in a part of its own. Looking for objects
// is what synchronization of short-lived objects costs most.
type Objects struct {
	at     ByAddr[object]
	free   FreeList[object]
	parts  []part
	latest *object // the one that was looked up last: an event is looked up by several predictors, and an atomic operation is several events of one address. nil for none

	latestAddr trace.Addr
}

// object is the beginning of an object. The parts lie behind it.
type object struct{}

// part is the part of one predictor.
type part struct {
	// drop makes the part of an object ready for another address. It returns false for one that must keep its address.
	drop func(*object) bool
	// used reports whether the predictor knows something of the object.
	used func(*object) bool
}

// add adds a part of so many bytes, and returns where in an object it begins. It is called before
// there are objects.
func (x *Objects) add(bytes uintptr, p part) (offset uintptr) {
	offset = x.free.Behind
	x.free.Behind += (bytes + 7) &^ 7
	x.parts = append(x.parts, p)
	return offset
}

// arena says where objects come from. It is called before there are any.
func (x *Objects) arena(t *Tables) {
	x.at.Arena(t)
	x.free.Arena = t.Arena
}

// bytes is what objects and their table take of the heap.
func (x *Objects) bytes() int { return x.at.Bytes() + x.free.Bytes() }

// of is the object at an address, made if there is none.
func (x *Objects) of(a trace.Addr) *object {
	if x.latest == nil || x.latestAddr != a {
		x.latest, x.latestAddr = x.at.Make(a, &x.free), a
	}
	return x.latest
}

// get is the object at an address, nil if there is none.
func (x *Objects) get(a trace.Addr) *object {
	if x.latest == nil || x.latestAddr != a {
		o := x.at.Get(a)
		if o == nil {
			return nil
		}
		x.latest, x.latestAddr = o, a
	}
	return x.latest
}

// reuse drops all parts of the objects in size bytes at a.
func (x *Objects) reuse(a trace.Addr, size uint32) {
	x.at.Forget(a, size, func(o *object) bool {
		all := true
		for i := range x.parts {
			all = x.parts[i].drop(o) && all
		}
		if all {
			x.put(o)
		}
		return all
	})
}

// sweep calls done for all objects, and drops those that no part uses afterwards.
func (x *Objects) sweep(done func(trace.Addr, *object)) {
	x.at.Sweep(func(a trace.Addr, o *object) bool {
		done(a, o)
		for i := range x.parts {
			if x.parts[i].used(o) {
				return false
			}
		}
		x.put(o)
		return true
	})
}

func (x *Objects) put(o *object) {
	if o == x.latest {
		x.latest = nil
	}
	x.free.Put(o)
}

// partOf is the part of an object that begins at an offset.
func partOf[T any](o *object, offset uintptr) *T { return (*T)(unsafe.Add(unsafe.Pointer(o), offset)) }
