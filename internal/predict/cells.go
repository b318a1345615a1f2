package predict

import (
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Cells is what a predictor with clocks knows of addresses, a T for each, in bounded memory. When there is too little room, cells that have not been used for an age (Room)
// are forgotten. One bit of their address remains. A cell of such an address that is used again holds all that had happened when that age began, which includes
// what the forgotten cell held. So forgetting adds order, and never takes any away.
type Cells[T any] struct {
	at   ByAddr[cell[T]]
	free FreeList[cell[T]]

	Room
	Faint     AddrSet      // the addresses of forgotten cells
	Forgotten vclock.Clock // what had happened when the age began that forgotten cells were not used in
	Merged    uint64       // forgotten cells that were used again, and what Rest adds

	began vclock.Clock // what had happened when the present age began

	latest     *cell[T] // the one that was looked up last: an atomic operation is several events of one address. nil for none
	latestAddr trace.Addr
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
	used uint32 // the age when it was last used; 0 for one that is in use for the first time or free
}

// Arena says where cells come from. It is called before there is anything.
func (x *Cells[T]) Arena(t *Tables) {
	x.at.Arena(t)
	x.Faint.Tables(t)
	x.free.Arena = t.Arena
}

// HeapBytes is what cells and their table take of the heap.
func (x *Cells[T]) HeapBytes() int { return x.at.Bytes() + x.free.Bytes() }

// Len is how many cells there are.
func (x *Cells[T]) Len() int { return x.at.Len() }

// Of is the cell of an address, made if there is none.
func (x *Cells[T]) Of(a trace.Addr) *T {
	c := x.latest
	if c == nil || x.latestAddr != a {
		c = x.at.Make(a, &x.free)
		x.latest, x.latestAddr = c, a
	}
	if c.used != x.Age {
		x.use(a, c)
	}
	return &c.is
}

func (x *Cells[T]) use(a trace.Addr, c *cell[T]) {
	if c.used == 0 && x.Faint.Has(a) {
		x.Merged++
		x.Revive(&c.is)
	}
	c.used = x.Age
}

// Known is the cell of an address, nil if nothing is known of it.
func (x *Cells[T]) Known(a trace.Addr) *T {
	c := x.latest
	if c == nil || x.latestAddr != a {
		c = x.at.Get(a)
	}
	switch {
	case c != nil:
		x.latest, x.latestAddr = c, a
		c.used = x.Age
		return &c.is
	case x.Faint.Has(a):
		return x.Of(a)
	}
	return nil
}

// Reuse forgets the addresses of size bytes at a, whose memory is used anew.
func (x *Cells[T]) Reuse(a trace.Addr, size uint32) {
	x.at.Forget(a, size, x.drop)
	x.Faint.Clear(a, size)
}

// drop frees a cell, if it can be emptied.
func (x *Cells[T]) drop(c *cell[T]) bool {
	if !x.Empty(&c.is) {
		return false
	}
	if c == x.latest {
		x.latest = nil
	}
	c.used = 0
	x.free.Put(c)
	return true
}

// MakeRoom begins a new age. It is called when the room is Full.
func (x *Cells[T]) MakeRoom() {
	old := x.began.Share()
	x.Happened(&x.began)
	x.Room.Make(x.Bytes, func(before uint32) { x.forget(before, old) })
	x.Pool.Drop(old)
}

// NewAge is MakeRoom as if the room were full: it forgets what was not used in the age that ends, or all. It is for tests.
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

// forget forgets what was last used before an age: before the new one, or before the one that ended now. When that one began, what is in old had happened.
func (x *Cells[T]) forget(before uint32, old *vclock.Vec) {
	if before == x.Age {
		old = x.began.Vec()
	}
	x.Forgotten.Set(x.Pool, old.Hold())
	x.at.Sweep(func(a trace.Addr, c *cell[T]) bool {
		if c.used >= before || x.Held != nil && x.Held(&c.is) {
			return false
		}
		x.Faint.Add(a)
		return x.drop(c)
	})
	if x.High(x.Bytes()) {
		x.Rest(before)
	}
}
