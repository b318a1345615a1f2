package witness_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// buffers is a run of about n events of eight goroutines that allocate buffers of size bytes, anew
// at the same places, fill them as a whole or in parts, read what they filled, and count under a
// lock. Between its quarters are nineteen pairs of accesses that race where sections trade places.
func buffers(n int, size uint32) (evs []trace.Event, pairs [][2]int32) {
	rng := rand.New(rand.NewPCG(1, 1))
	at := map[trace.G]trace.Addr{}
	var firsts []int32
	pair := func(half int) {
		for k := range trace.Addr(19) {
			g := trace.G(20 + 2*int(k) + half)
			x, y, l := 0x100+8*k, 0x1000+8*k, 0x2000+8*k
			if half == 0 {
				firsts = append(firsts, int32(len(evs)))
				evs = append(evs, trace.Event{Kind: trace.Write, G: g, Addr: x, Size: 8})
			}
			evs = append(evs,
				trace.Event{Kind: trace.Acquire, G: g, Addr: l}, trace.Event{Kind: trace.Read, G: g, Addr: y, Size: 8}, trace.Event{Kind: trace.Release, G: g, Addr: l})
			if half == 1 {
				pairs = append(pairs, [2]int32{firsts[k], int32(len(evs))})
				evs = append(evs, trace.Event{Kind: trace.Write, G: g, Addr: x, Size: 8})
			}
		}
	}
	for len(evs) < n {
		if half := len(evs) * 4 / n; half%2 == 1 && len(pairs) == 0 && (half == 3 || len(firsts) == 0) {
			pair(half / 2)
		}
		g := trace.G(1 + rng.IntN(8))
		a := at[g]
		if a == 0 || rng.IntN(16) == 0 {
			a = 0x1000_0000*trace.Addr(g) + trace.Addr(rng.IntN(4))*trace.Addr(size)
			at[g] = a
			evs = append(evs, trace.Event{Kind: trace.Alloc, G: g, Addr: a, Size: size})
			continue
		}
		part := trace.Event{Kind: trace.Write, G: g, Addr: a, Size: size}
		if rng.IntN(2) == 0 {
			part.Addr, part.Size = a+trace.Addr(rng.IntN(int(size/2))), size/4
		}
		evs = append(evs, part)
		part.Kind = trace.Read
		lock := trace.Addr(0x10 + 8*rng.IntN(4))
		count := trace.Event{Kind: trace.Read, G: g, Addr: 0x8000 + lock, Size: 8}
		evs = append(evs, part, trace.Event{Kind: trace.Acquire, G: g, Addr: lock}, count)
		count.Kind = trace.Write
		evs = append(evs, count, trace.Event{Kind: trace.Release, G: g, Addr: lock})
	}
	return evs, pairs
}

// TestBuffers: all pairs are found, whatever lies in between.
func TestBuffers(t *testing.T) {
	evs, pairs := buffers(4000, 1<<12)
	for _, dropped := range []bool{false, true} {
		f := witness.New(evs, witness.Options{Dropped: dropped})
		require.Len(t, pairs, 19)
		for _, p := range pairs {
			require.Equal(t, witness.Feasible, f.Find(goal.RaceOf(p[0], p[1])).Verdict)
		}
	}
}

// BenchmarkBuffers: what a Finder and nineteen pairs cost does not depend on how large the buffers
// are.
func BenchmarkBuffers(b *testing.B) {
	for name, c := range map[string]struct {
		events int
		size   uint32
	}{"events=38k/size=64": {38_000, 64}, "events=38k/size=4k": {38_000, 4 << 10}, "events=38k/size=64k": {38_000, 64 << 10}, "events=300k/size=4k": {300_000, 4 << 10}} {
		evs, pairs := buffers(c.events, c.size)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f := witness.New(evs, witness.Options{Dropped: true})
				for _, p := range pairs {
					if a := f.Find(goal.RaceOf(p[0], p[1])); a.Verdict != witness.Feasible {
						b.Fatal(a.Verdict, a.Reason)
					}
				}
			}
		})
	}
}
