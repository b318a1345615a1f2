package vclock

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestMemoryOfManySlots: all of what clocks with many slots take comes from the arena, is counted,
// and is used again.
func TestMemoryOfManySlots(t *testing.T) {
	taken := 0
	var kept [][]uint64
	p := Pool{Arena: func(n uintptr) unsafe.Pointer {
		taken += int(n)
		kept = append(kept, make([]uint64, (n+7)/8))
		return unsafe.Pointer(unsafe.SliceData(kept[len(kept)-1]))
	}}
	const slots = 2000
	round := func() (live int) {
		var all Clock
		var each []Clock
		for s := range Slot(slots) {
			all.Raise(&p, s, 1)
			var c Clock
			c.Join(&p, all.Vec(), NoOrders)
			c.Raise(&p, (s*7+nearSlots)%slots, Time(s)) // a leaf of its own, mostly
			each = append(each, c)
		}
		live = p.Live
		all.Reset(&p)
		for i := range each {
			each[i].Reset(&p)
		}
		require.Zero(t, p.Live)
		return live
	}
	live := round()
	require.Greater(t, live, slots*int(unsafe.Sizeof(leaf{}))/2)
	require.InEpsilon(t, taken, live, 0.3)
	require.Zero(t, p.Bytes(), "of the heap")
	before := taken
	require.Equal(t, live, round())
	require.Equal(t, before, taken, "it is used again")
}
