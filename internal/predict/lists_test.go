package predict

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// arena makes memory whose bounds the test knows.
type arena struct{ kept [][]uint64 }

func (a *arena) make(bytes uintptr) unsafe.Pointer {
	a.kept = append(a.kept, make([]uint64, (bytes+7)/8))
	return unsafe.Pointer(unsafe.SliceData(a.kept[len(a.kept)-1]))
}

// has reports whether one block of the arena has all of the bytes.
func (a *arena) has(at unsafe.Pointer, bytes int) bool {
	for _, k := range a.kept {
		if begin := uintptr(unsafe.Pointer(unsafe.SliceData(k))); uintptr(at) >= begin && uintptr(at)+uintptr(bytes) <= begin+uintptr(8*len(k)) {
			return true
		}
	}
	return false
}

// TestAppend: lists of elements of several sizes that grow and are given back in turn have what was
// appended to them, each in memory of its own, and the memory is used again.
func TestAppend(t *testing.T) {
	for _, in := range []bool{false, true} {
		var a arena
		tables := &Tables{}
		if in {
			tables.Arena = a.make
		}
		type wide [3]uint64
		var longs, wants [8][]uint64
		var wides [8][]wide
		rng := rand.New(rand.NewPCG(1, 2))
		for step := range uint64(20_000) {
			i := rng.IntN(8)
			if rng.IntN(400) == 0 {
				Drop(tables, longs[i])
				Drop(tables, wides[i])
				longs[i], wides[i], wants[i] = nil, nil, nil
				continue
			}
			longs[i] = Append(tables, longs[i], step)
			wides[i] = Append(tables, wides[i], wide{step, step, step})
			wants[i] = append(wants[i], step)
			if in {
				require.True(t, a.has(unsafe.Pointer(unsafe.SliceData(longs[i])), 8*cap(longs[i])))
				require.True(t, a.has(unsafe.Pointer(unsafe.SliceData(wides[i])), 24*cap(wides[i])))
			}
		}
		for i, want := range wants {
			require.Equal(t, want, longs[i])
			require.Len(t, wides[i], len(want))
			for n, w := range want {
				require.Equal(t, wide{w, w, w}, wides[i][n])
			}
		}
		if in {
			require.Less(t, len(a.kept), 200, "memory that was given back is used again")
		}
		runtime.KeepAlive(a)
	}
}

// TestFreeList: an object is one that was given back, the latest first, or else a new one; nobody
// gets one that somebody has.
func TestFreeList(t *testing.T) {
	for _, in := range []bool{false, true} {
		var a arena
		var list FreeList[int]
		if in {
			list.Arena = a.make
		}
		had, has, most := map[*int]bool{}, []*int{}, 0
		rng := rand.New(rand.NewPCG(3, 4))
		for step := range 50_000 {
			more := step/5000%2 == 0
			if n := len(has); n > 0 && rng.IntN(8) < 4 != more {
				i := rng.IntN(n)
				v := has[i]
				has[i] = has[n-1]
				has = has[:n-1]
				*v = -*v
				list.Put(v)
				if rng.IntN(4) == 0 {
					again := list.Get()
					require.Same(t, v, again)
					require.Negative(t, *again, "as it was")
					*again = -*again
					has = append(has, again)
				}
				continue
			}
			v := list.Get()
			if had[v] {
				require.Negative(t, *v, "given back, and as it was")
			} else {
				require.Zero(t, *v)
			}
			had[v], *v = true, step+1
			has = append(has, v)
			most = max(most, len(has))
		}
		require.Len(t, had, most, "a new one only if none was given back")
		require.Equal(t, in, list.Bytes() == 0)
		runtime.KeepAlive(a)
	}
}
