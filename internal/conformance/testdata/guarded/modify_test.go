// What is added under a lock may trade places with its like, but not where somebody sees what is there.

package guarded

import (
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// tally is what the sections of its lock add to.
type tally struct {
	mu    sync.Mutex
	n     int
	small uint8
	bits  uint32
	sum   float64
	text  string
	cells [4]int
	byKey map[string]int
	x     int
}

// under runs f in a section of the tally.
func (c *tally) under(f func()) {
	c.mu.Lock()
	f()
	c.mu.Unlock()
}

func TestNoRaceAddedIsSeen(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		c.n++
		last := c.n == 2
		c.mu.Unlock()
		if last {
			c.x++
		}
	})
}

func TestNoRaceAddedIsSeenLater(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.mu.Lock()
		c.n += 3
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		c.n += 4
		c.mu.Unlock()
		c.mu.Lock()
		last := c.n == 7
		c.mu.Unlock()
		if last {
			c.x++
		}
	})
}

func TestNoRaceAddedIsSeenInOnePart(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.n |= 0x100 })
	}, func() {
		c.under(func() { c.n |= 0x200 })
		c.mu.Lock()
		second := (*[8]byte)(unsafe.Pointer(&c.n))[1]
		c.mu.Unlock()
		if second == 3 {
			c.x++
		}
	})
}

func TestNoRaceAddedIsCopied(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.cells[2]-- })
	}, func() {
		c.under(func() { c.cells[2]-- })
		c.mu.Lock()
		all := c.cells
		c.mu.Unlock()
		if all == [4]int{0, 0, -2, 0} {
			c.x++
		}
	})
}

func TestNoRaceAddedIsAdded(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.n += 2 })
	}, func() {
		c.mu.Lock()
		c.n += 2
		c.cells[0] += c.n // looks at one and adds to another
		c.mu.Unlock()
		c.mu.Lock()
		four := c.cells[0] == 4
		c.mu.Unlock()
		if four {
			c.x++
		}
	})
}

func TestNoRaceAddedToItself(t *testing.T) {
	c := &tally{n: 1}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.n += 2 })
	}, func() {
		c.under(func() { c.n += c.n })
		c.mu.Lock()
		six := c.n == 6
		c.mu.Unlock()
		if six {
			c.x++
		}
	})
}

func TestNoRaceAddThenOrPlainly(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.bits++ })
	}, func() {
		c.under(func() { c.bits |= 1 })
		c.mu.Lock()
		one := c.bits == 1
		c.mu.Unlock()
		if one {
			c.x++
		}
	})
}

func TestNoRaceMultiplyThenSubtract(t *testing.T) {
	c := &tally{n: 3}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.n *= 2 })
	}, func() {
		c.under(func() { c.n -= 1 })
		c.mu.Lock()
		five := c.n == 5
		c.mu.Unlock()
		if five {
			c.x++
		}
	})
}

func TestNoRaceXorAndXorAndOr(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.under(func() { c.bits ^= 1 })
	}, func() {
		c.x = 1
		c.under(func() { c.bits ^= 3 })
	}, func() {
		c.under(func() { c.bits |= 1 })
		c.mu.Lock()
		three := c.bits == 3
		c.mu.Unlock()
		if three {
			c.x++
		}
	})
}

// Of different sizes, they do not trade places either: a carry goes from one byte to the next.
func TestNoRaceAddOfOtherSize(t *testing.T) {
	c := &tally{bits: 255}
	low := (*uint8)(unsafe.Pointer(&c.bits))
	inTurn(func() {
		c.x = 1
		c.under(func() { c.bits++ })
	}, func() {
		c.under(func() { *low++ })
		c.mu.Lock()
		carried := c.bits == 257
		c.mu.Unlock()
		if carried {
			c.x++
		}
	})
}

// Shifts are no additions, and sums of floats and strings depend on the order.
func TestNoRaceShift(t *testing.T) {
	c := &tally{bits: 1}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.bits += 1 })
	}, func() {
		c.under(func() { c.bits <<= 1 })
		c.mu.Lock()
		four := c.bits == 4
		c.mu.Unlock()
		if four {
			c.x++
		}
	})
}

func TestNoRaceFloats(t *testing.T) {
	c := &tally{sum: 1 << 53}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.sum += 2 })
	}, func() {
		c.under(func() { c.sum += 1 })
	}, func() {
		c.under(func() { c.sum -= 1 << 53 })
		c.mu.Lock()
		two := c.sum == 2
		c.mu.Unlock()
		if two {
			c.x++
		}
	})
}

func TestNoRaceStrings(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.text += "a" })
	}, func() {
		c.under(func() { c.text += "b" })
		c.mu.Lock()
		first := strings.HasPrefix(c.text, "a")
		c.mu.Unlock()
		if first {
			c.x++
		}
	})
}

// The elements of a map: who counts there may see how many there are.
func TestNoRaceElements(t *testing.T) {
	c := &tally{byKey: map[string]int{}}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.byKey["a"]++ })
	}, func() {
		c.under(func() { c.byKey["b"]++ })
		c.mu.Lock()
		n := len(c.byKey)
		c.mu.Unlock()
		if n == 2 {
			c.x++
		}
	})
}

// Overwritten in between, the first addition is not seen; the second one is.
func TestNoRaceOverwritten(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.under(func() { c.n += 5 })
	}, func() {
		c.x = 1
		c.under(func() { c.n = 1; c.n++ })
	}, func() {
		c.under(func() { c.n++ })
		c.mu.Lock()
		three := c.n == 3
		c.mu.Unlock()
		if three {
			c.x++
		}
	})
}

// In one span, many times, and then something else.
func TestNoRaceRepeated(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.mu.Lock()
		for range 10 {
			c.bits++
			c.bits |= 1
		}
		c.mu.Unlock()
	}, func() {
		c.under(func() { c.bits |= 64 })
		c.under(func() { c.bits++ })
		c.mu.Lock()
		after := c.bits == 64+20
		c.mu.Unlock()
		if after {
			c.x++
		}
	})
}

func TestNoRaceAddedIsSeenByALibrary(t *testing.T) {
	c := &tally{}
	var shown struct{ N int }
	inTurn(func() {
		c.x = 1
		c.under(func() { shown.N++ })
	}, func() {
		c.under(func() { shown.N++ })
		c.mu.Lock()
		b, _ := json.Marshal(&shown)
		c.mu.Unlock()
		if string(b) == `{"N":2}` {
			c.x++
		}
	})
}

// The sum of both is seen by a third.
func TestNoRaceSumIsSeen(t *testing.T) {
	c := &tally{}
	inTurn(func() {
		c.x = 1
		c.under(func() { c.n++ })
	}, func() {
		c.under(func() { c.n++ })
	}, func() {
		c.mu.Lock()
		two := c.n == 2
		c.mu.Unlock()
		if two {
			c.x++
		}
	})
}

// In read mode nobody adds, but who reads sees it.
func TestNoRaceAddedIsSeenInReadMode(t *testing.T) {
	var (
		mu   sync.RWMutex
		n, x int
	)
	inTurn(func() {
		x = 1
		mu.Lock()
		n++
		mu.Unlock()
	}, func() {
		mu.Lock()
		n++
		mu.Unlock()
		mu.RLock()
		two := n == 2
		mu.RUnlock()
		if two {
			x++
		}
	})
}

// next says how many calls of it there were, and one of them is asked.
func (c *drawn) next() int64 { return c.n.Add(1) }

type drawn struct {
	n atomic.Int64
	x int
}

func TestNoRaceResultThrownAwayByOne(t *testing.T) {
	c := &drawn{}
	inTurn(func() {
		c.x = 1
		c.next()
	}, func() {
		if c.next() == 2 {
			c.x++
		}
	})
}

// pull has a result that is only used by who is called through a variable.
func (c *drawn) pull() int64 { return c.n.Add(1) }

func TestNoRaceResultThroughAVariable(t *testing.T) {
	c := &drawn{}
	pull := c.pull
	inTurn(func() {
		c.x = 1
		c.pull()
	}, func() {
		if pull() == 2 {
			c.x++
		}
	})
}

type puller interface{ taken() int64 }

func (c *drawn) taken() int64 { return c.n.Add(1) }

func TestNoRaceResultThroughAnInterface(t *testing.T) {
	c := &drawn{}
	var p puller = c
	inTurn(func() {
		c.x = 1
		c.taken()
	}, func() {
		if p.taken() == 2 {
			c.x++
		}
	})
}

// The result is thrown away by all, but the counter is read.
func (c *drawn) bump() int64 { return c.n.Add(1) }

func TestNoRaceResultThrownAwayAndRead(t *testing.T) {
	c := &drawn{}
	inTurn(func() {
		c.x = 1
		c.bump()
	}, func() {
		c.bump()
		if c.n.Load() == 2 {
			c.x++
		}
	})
}

// What it returns, another one returns, and that is asked.
func (c *drawn) inner() int64 { return c.n.Add(1) }
func (c *drawn) outer() int64 { return c.inner() }

func TestNoRaceResultReturned(t *testing.T) {
	c := &drawn{}
	inTurn(func() {
		c.x = 1
		c.inner()
	}, func() {
		if c.outer() == 2 {
			c.x++
		}
	})
}

// statistics are reset by a plain assignment.
type statistics struct{ hits atomic.Int64 }

// TestNoRaceAtomicAddFindsPlainStore: an atomic operation finds what an assignment has stored, and its result says so.
func TestNoRaceAtomicAddFindsPlainStore(t *testing.T) {
	var s statistics
	s.hits.Store(5)
	noticed(t, func() { s = statistics{} }, func() bool { return s.hits.Add(1) == 1 })
}

func TestNoRaceAtomicAddFindsIncrement(t *testing.T) {
	var refs int64
	noticed(t, func() { refs++ }, func() bool { return atomic.AddInt64(&refs, -1) == 0 })
}

func TestNoRaceAtomicSwapFindsPlainStore(t *testing.T) {
	var state int32
	noticed(t, func() { state = 5 }, func() bool { return atomic.SwapInt32(&state, 1) == 5 })
}

func TestNoRaceCompareAndSwapFindsPlainStore(t *testing.T) {
	var state int32
	noticed(t, func() { state = 5 }, func() bool { return atomic.CompareAndSwapInt32(&state, 5, 6) })
}

func TestNoRaceAtomicOrFindsCopy(t *testing.T) {
	state := make([]uint32, 2)
	noticed(t, func() { copy(state, []uint32{1, 2}) }, func() bool { return atomic.OrUint32(&state[1], 4) == 2 })
}

// TestRaceAtomicAddThrownAway is the twin of TestNoRaceAtomicAddFindsIncrement without the result.
func TestRaceAtomicAddThrownAway(t *testing.T) {
	c := &tally{}
	refs := int64(0)
	inTurn(func() {
		c.x = 1
		c.mu.Lock()
		refs++
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		atomic.AddInt64(&refs, -1)
		c.mu.Unlock()
		c.x++
	})
}

// TestRaceAtomicSwapOfAnother is one of TestNoRaceAtomicSwapFindsPlainStore, with another variable.
func TestRaceAtomicSwapOfAnother(t *testing.T) {
	c := &tally{}
	var state, other int32
	inTurn(func() {
		c.x = 1
		c.mu.Lock()
		atomic.StoreInt32(&other, 5)
		c.mu.Unlock()
	}, func() {
		c.mu.Lock()
		first := atomic.SwapInt32(&state, 1) == 0
		c.mu.Unlock()
		if first {
			c.x++
		}
	})
}
