package engine

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestArenaGivesMemoryOutAgain: after a reset, memory of the same size comes back zeroed, and nothing new is asked for.
func TestArenaGivesMemoryOutAgain(t *testing.T) {
	asked := 0
	a := arena{from: func(size uintptr) unsafe.Pointer {
		asked++
		return unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8)))
	}}
	for range 3 {
		p, q := (*[64]byte)(a.get(64)), (*[64]byte)(a.get(64))
		r := (*[128]byte)(a.get(128))
		require.NotSame(t, p, q)
		require.Equal(t, [64]byte{}, *p)
		require.Equal(t, [64]byte{}, *q)
		require.Equal(t, [128]byte{}, *r)
		p[3], q[5], r[100] = 1, 2, 3
		a.reset()
	}
	require.Equal(t, 3, asked)
	a.keep(64)
	require.Equal(t, 3, asked, "what stays may be where something else was")
	a.reset()
	a.get(64)
	require.Equal(t, 3, asked)
	a.get(64)
	require.Equal(t, 4, asked, "what stays is not given out again")
}
