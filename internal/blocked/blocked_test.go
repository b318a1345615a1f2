package blocked

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

func names(cycles [][]Goroutine) (list [][]trace.G) {
	for _, c := range cycles {
		var gs []trace.G
		for _, g := range c {
			gs = append(gs, g.G)
		}
		list = append(list, gs)
	}
	return list
}

func TestCycles(t *testing.T) {
	const a, b, c = 0x10, 0x40, 0x80
	for _, test := range []struct {
		name    string
		waiting []Goroutine
		holders []Holder
		want    [][]trace.G
	}{
		{"nobody waits", nil, []Holder{{1, a, false}}, nil},
		{"a lock that somebody holds who runs", []Goroutine{{G: 1, Wait: Lock, Lock: a}}, []Holder{{2, a, false}}, nil},
		{"two locks in two orders", []Goroutine{{G: 1, Wait: Lock, Lock: b}, {G: 2, Wait: Lock, Lock: a}}, []Holder{{1, a, false}, {2, b, false}}, [][]trace.G{{1, 2}}},
		{
			"three", []Goroutine{{G: 3, Wait: Lock, Lock: a}, {G: 1, Wait: Lock, Lock: b}, {G: 2, Wait: Lock, Lock: c}},
			[]Holder{{1, a, false}, {2, b, false}, {3, c, false}}, [][]trace.G{{3, 1, 2}},
		},
		{"locked twice", []Goroutine{{G: 1, Wait: Lock, Lock: a}}, []Holder{{1, a, false}}, [][]trace.G{{1}}},
		{"the third waits for one of the cycle", []Goroutine{{G: 9, Wait: Lock, Lock: a}, {G: 1, Wait: Lock, Lock: a}}, []Holder{{1, a, false}}, [][]trace.G{{1}}},
		{"a chain", []Goroutine{{G: 1, Wait: Lock, Lock: b}, {G: 2, Wait: Lock, Lock: c}}, []Holder{{1, a, false}, {2, b, false}, {3, c, false}}, nil},
		{"read, then write", []Goroutine{{G: 1, Wait: WLock, Lock: a}}, []Holder{{1, a, true}}, [][]trace.G{{1}}},
		{"two that read, then write", []Goroutine{{G: 1, Wait: WLock, Lock: a}, {G: 2, Wait: Lock, Lock: a}}, []Holder{{1, a, true}, {2, a, true}}, [][]trace.G{{1}}},
		{"read again with a writer waiting", []Goroutine{{G: 1, Wait: RLock, Lock: a}, {G: 2, Wait: WLock, Lock: a}}, []Holder{{1, a, true}}, [][]trace.G{{1, 2}}},
		{"readers that wait for a writer that waits for a reader that runs", []Goroutine{{G: 1, Wait: RLock, Lock: a}, {G: 2, Wait: WLock, Lock: a}}, []Holder{{3, a, true}}, nil},
		{"readers hold no reader up", []Goroutine{{G: 1, Wait: RLock, Lock: a}}, []Holder{{1, a, true}}, nil},
		{"a receiver holds nobody's lock", []Goroutine{{G: 1, Wait: Lock, Lock: a}, {G: 2, Wait: Receive}}, []Holder{{2, a, false}}, nil},
		{
			"two cycles", []Goroutine{{G: 1, Wait: Lock, Lock: a}, {G: 2, Wait: Lock, Lock: b}},
			[]Holder{{1, a, false}, {2, b, false}},
			[][]trace.G{{1}, {2}},
		},
	} {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, names(Cycles(test.waiting, test.holders))) })
	}
}

func TestLockOf(t *testing.T) {
	require.EqualValues(t, 0x100, LockOf(Lock, 0x104))
	require.EqualValues(t, 0x100, LockOf(WLock, 0x108))
	require.EqualValues(t, 0x100, LockOf(RLock, 0x10c))
	require.Zero(t, LockOf(Receive, 0x10c))
	require.Zero(t, LockOf(RLock, 4))
}
