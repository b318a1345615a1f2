package predict

import (
	"unsafe"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Cells is what a predictor with clocks knows of addresses, a T for each, in bounded memory. When
// there is too little room, cells that have not been used for an age (Room) are forgotten. One bit
// of their address remains. A cell of such an address that is used again holds all that had
// happened when that age began, which includes what the forgotten cell held. So forgetting adds
// order, and never takes any away.
type Cells[T any] struct {
	objects *Objects
	own     Objects // objects, if they are not another predictor's, too
	offset  uintptr // of a cell in its object
	n       int     // cells in use

	Room
	Faint     AddrSet      // the addresses of forgotten cells
	Forgotten vclock.Clock // what had happened when the age began that forgotten cells were not used in
	Merged    uint64       // forgotten cells that were used again, and what Rest adds

	began vclock.Clock // what had happened when the present age began

	CellHooks[T]
}

// CellHooks is what a predictor does for its Cells. It is set before the first use.
type CellHooks[T any] struct {
	Pool *vclock.Pool
	// Empty makes a cell ready for another address. It returns false for a cell that must keep its address.
	Empty func(*T) bool
	// Held reports whether a cell must not be forgotten; nil for never.
	Held func(*T) bool
	// Revive makes an empty cell hold Forgotten.
	Revive func(*T)
	// Bytes is about how many bytes all takes that the room is for.
	Bytes func() int
	// Happened adds all that has happened to a clock.
	Happened func(*vclock.Clock)
	// Rest forgets more, from before an age, when to forget cells did not make enough room.
	Rest func(before uint32)
}

type cell[T any] struct {
	is   T
	used uint32 // the age when it was last used; 0 for one that is not in use
}

// In makes cells parts of objects that are also another predictor's, or, if that is nil, of objects
// of their own. It is called before there is anything.
func (x *Cells[T]) In(objects *Objects) {
	x.objects = objects
	if objects == nil {
		x.objects = &x.own
	}
	x.offset = x.objects.add(unsafe.Sizeof(cell[T]{}), part{
		drop: func(o *object) bool { return x.drop(partOf[cell[T]](o, x.offset)) },
		used: func(o *object) bool { return partOf[cell[T]](o, x.offset).used != 0 },
	})
}

// Objects are what the cells are parts of.
func (x *Cells[T]) Objects() *Objects { return x.objects }

// Arena says where cells come from. It is called before there is anything.
func (x *Cells[T]) Arena(t *Tables) {
	if x.objects == &x.own {
		x.own.arena(t)
	}
	x.Faint.Tables(t)
}

// HeapBytes is what cells and their table take of the heap, unless their objects are another
// predictor's.
func (x *Cells[T]) HeapBytes() int { return x.own.bytes() }

// Len is how many cells there are.
func (x *Cells[T]) Len() int { return x.n }

// Of is the cell of an address, made if there is none.
func (x *Cells[T]) Of(a trace.Addr) *T {
	c := partOf[cell[T]](x.objects.of(a), x.offset)
	if c.used != x.Age {
		x.use(a, c)
	}
	return &c.is
}

func (x *Cells[T]) use(a trace.Addr, c *cell[T]) {
	if c.used == 0 {
		x.n++
		if x.Faint.Has(a) {
			x.Merged++
			x.Revive(&c.is)
		}
	}
	c.used = x.Age
}

// Known is the cell of an address, nil if nothing is known of it.
func (x *Cells[T]) Known(a trace.Addr) *T {
	if o := x.objects.get(a); o != nil {
		if c := partOf[cell[T]](o, x.offset); c.used != 0 {
			c.used = x.Age
			return &c.is
		}
	}
	if x.Faint.Has(a) {
		return x.Of(a)
	}
	return nil
}

// Reuse forgets the addresses of size bytes at a, whose memory is used anew. If the objects are
// another predictor's, its Reuse, which comes first, has forgotten them.
func (x *Cells[T]) Reuse(a trace.Addr, size uint32) {
	if x.objects == &x.own {
		x.own.reuse(a, size)
	}
	x.Faint.Clear(a, size)
}

// drop makes a cell one that is not in use, if it can be emptied.
func (x *Cells[T]) drop(c *cell[T]) bool {
	if c.used == 0 {
		return true
	}
	if !x.Empty(&c.is) {
		return false
	}
	c.used = 0
	x.n--
	return true
}

// MakeRoom begins a new age. It is called when the room is Full.
func (x *Cells[T]) MakeRoom() {
	old := x.began.Share()
	x.Happened(&x.began)
	x.Room.Make(x.Bytes, func(before uint32) { x.forget(before, old) })
	x.Pool.Drop(old)
}

// NewAge is MakeRoom as if the room were full: it forgets what was not used in the age that ends,
// or all. It is for tests.
func (x *Cells[T]) NewAge(all bool) {
	old := x.began.Share()
	x.Happened(&x.began)
	x.Age++
	if all {
		x.forget(x.Age, old)
	} else {
		x.forget(x.Age-1, old)
	}
	x.Pool.Drop(old)
}

// forget forgets what was last used before an age: before the new one, or before the one that ended
// now. When that one began, what is in old had happened.
func (x *Cells[T]) forget(before uint32, old *vclock.Vec) {
	if before == x.Age {
		old = x.began.Vec()
	}
	x.Forgotten.Set(x.Pool, old.Hold())
	x.objects.sweep(func(a trace.Addr, o *object) {
		c := partOf[cell[T]](o, x.offset)
		if c.used == 0 || c.used >= before || x.Held != nil && x.Held(&c.is) {
			return
		}
		x.Faint.Add(a)
		x.drop(c)
	})
	if x.High(x.Bytes()) {
		x.Rest(before)
	}
}
