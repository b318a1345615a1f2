package wcp

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// TestRuns: items side by side of one slot and group are one run, also after older items were
// removed.
func TestRuns(t *testing.T) {
	var f fifo
	for _, s := range []struct {
		slot  vclock.Slot
		group uint64
	}{{1, 0}, {1, 0}, {2, 0}, {1, 0}, {1, 1}, {1, 1}} {
		f.push(nil, &section{slot: s.slot, group: s.group})
	}
	begin := func() (list []int) {
		for i := range f.live() {
			list = append(list, f.beginning(i))
		}
		return list
	}
	require.Equal(t, []int{0, 0, 2, 3, 4, 4}, begin())
	f.pop()
	require.Equal(t, []int{0, 1, 2, 3, 3}, begin())
	for range 4 {
		f.pop()
	}
	require.Equal(t, []int{0}, begin())
	f.push(nil, &section{slot: 1, group: 1})
	require.Equal(t, []int{0, 0}, begin())
	f.pop()
	f.pop()
	f.push(nil, &section{slot: 1, group: 1})
	require.Equal(t, []int{0}, begin())
}

// BenchmarkWriteAfterReads is a write section of a lock that many logged read sections of the same
// goroutine came before, as in the test of a container that is filled, asked and emptied. Its time
// does not depend on their number.
func BenchmarkWriteAfterReads(b *testing.B) {
	for _, reads := range []int{100, 10_000, 200_000} {
		b.Run(strconv.Itoa(reads), func(b *testing.B) {
			p := New(predict.Config{}, func(predict.Candidate) {})
			event := events(p)
			section := func(acquire, release trace.Kind) {
				event(trace.Event{Kind: acquire, G: 1, Addr: 0x100})
				event(trace.Event{Kind: trace.HardRelease, G: 1, Addr: 0x800}) // so that it is logged
				event(trace.Event{Kind: release, G: 1, Addr: 0x100})
			}
			event(trace.Event{Kind: trace.Fork, G: 1, Other: 2}) // learns nothing
			for range reads {
				section(trace.RAcquire, trace.RRelease)
			}
			for b.Loop() {
				section(trace.Acquire, trace.Release)
			}
		})
	}
}
