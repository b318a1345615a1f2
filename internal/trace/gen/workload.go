package gen

import (
	"math/rand/v2"

	"github.com/racepred/racepred/internal/trace"
)

// Workload is a kind of program, by name.
type Workload struct {
	Name string
	What string
	New  func(events int, seed uint64) *Trace
}

// Workloads are the workloads of throughput measurements.
var Workloads = []Workload{
	{"a8", "8 goroutines, 20,000 variables protected by 200 locks, every planted pattern 10 times", func(n int, seed uint64) *Trace {
		return Mix{Events: n, Goroutines: 8, Locks: 200, Shared: 20_000, Own: 50, Sites: 5000, Depth: 2, Near: 4, Length: 5, Quantum: 20,
			Enter: .1, Nest: .05, Write: .3, Local: .3, Seed: seed, Plants: Every(10)}.New()
	}},
	{"s4", "4 goroutines, 20 variables protected by 10 locks", func(n int, seed uint64) *Trace {
		return Mix{Events: n, Goroutines: 4, Locks: 10, Shared: 20, Own: 50, Sites: 5000, Depth: 2, Length: 5, Quantum: 20,
			Enter: .1, Nest: .05, Write: .3, Local: .3, Seed: seed}.New()
	}},
	{"l1000", "8 goroutines, 20,000 variables protected by 1,000 locks", func(n int, seed uint64) *Trace {
		return Mix{Events: n, Goroutines: 8, Locks: 1000, Shared: 20_000, Own: 200, Sites: 5000, Depth: 2, Near: 4, Length: 5, Quantum: 20,
			Enter: .1, Nest: .05, Write: .3, Local: .3, Seed: seed}.New()
	}},
	{"l50", "8 goroutines, 5,000 variables protected by 50 locks, half of the time in sections", func(n int, seed uint64) *Trace {
		return Mix{Events: n, Goroutines: 8, Locks: 50, Shared: 5000, Own: 200, Sites: 2000, Depth: 3, Near: 4, Length: 5, Quantum: 20,
			Enter: .3, Nest: .1, Write: .3, Local: .2, Seed: seed}.New()
	}},
	{"acc97", "8 goroutines, 50,000 variables protected by 100 locks; 97 of 100 events are accesses", func(n int, seed uint64) *Trace {
		return Mix{Events: n, Goroutines: 8, Locks: 100, Shared: 50_000, Own: 2000, Sites: 5000, Depth: 1, Length: 16, Quantum: 50,
			Enter: .02, Write: .3, Local: .3, Seed: seed}.New()
	}},
	{"planted", "8 goroutines, 20,000 variables protected by 200 locks, every planted pattern 100 times", func(n int, seed uint64) *Trace {
		return Mix{Events: n, Goroutines: 8, Locks: 200, Shared: 20_000, Own: 50, Sites: 5000, Depth: 2, Near: 4, Length: 5, Quantum: 20,
			Enter: .1, Nest: .05, Write: .3, Local: .3, Seed: seed, Plants: Every(100)}.New()
	}},
	{"rw", "8 goroutines, 1,000 variables protected by 20 locks, 9 of 10 sections in read mode", func(n int, seed uint64) *Trace {
		return Mix{Events: n, Goroutines: 8, Locks: 20, Shared: 1000, Own: 50, Sites: 500, Depth: 1, Length: 5, Quantum: 20,
			Enter: .2, Read: .9, Write: .3, Local: .1, Seed: seed}.New()
	}},
	{"matrix", "products of 96x96 matrices by 8 goroutines each", matrix},
	{"list", "4 goroutines walk a list of 64 nodes under one lock, and move a node each time", list},
	{"spawn", "short goroutines, 100 at a time behind a WaitGroup, with a section of one lock each", spawn},
	{"pool", "16 workers take work from a channel, results go through one lock; 2,000 goroutines wait all the time", pool},
}

// matrix: each goroutine reads a band of a and all of b, and writes a band of c. A recording leaves
// out what it repeats before it ends.
func matrix(n int, _ uint64) *Trace {
	const size, workers = 96, 8
	t, next := &Trace{}, uint32(2)
	total := 0
	cell := func(m, i, j int) trace.Addr { return sharedBase + trace.Addr(m)<<20 + 8*trace.Addr(i*size+j) }
	t.more = func() bool {
		for g := range uint32(workers) {
			t.put(trace.Event{Kind: trace.Fork, G: 1, Other: next + g, Site: 1})
		}
		for g := range workers {
			id := trace.G(next) + trace.G(g)
			for i := g * size / workers; i < (g+1)*size/workers; i++ {
				for j := range size {
					if i == g*size/workers { // the rows of b, the first time through
						for k := range size {
							t.put(trace.Event{Kind: trace.Read, G: id, Addr: cell(1, k, j), Size: 8, Site: 3})
						}
					}
					t.put(trace.Event{Kind: trace.Read, G: id, Addr: cell(0, i, j), Size: 8, Site: 2})
					t.put(trace.Event{Kind: trace.Write, G: id, Addr: cell(2, i, j), Size: 8, Site: 4})
				}
			}
			t.put(trace.Event{Kind: trace.HardMerge, G: id, Addr: objectBase, Site: 5}, trace.Event{Kind: trace.End, G: id, Site: 6})
		}
		t.put(trace.Event{Kind: trace.HardAcquire, G: 1, Addr: objectBase, Site: 7})
		next += workers
		total += len(t.buf)
		return total < n
	}
	return t
}

func list(n int, seed uint64) *Trace {
	const nodes, workers = 64, 4
	t, rng, total := &Trace{}, rand.New(rand.NewPCG(seed, 2)), 0
	for g := range uint32(workers) {
		t.put(trace.Event{Kind: trace.Fork, G: 1, Other: 2 + g, Site: 1})
	}
	t.more = func() bool {
		id := trace.G(2 + rng.IntN(workers))
		t.put(trace.Event{Kind: trace.Acquire, G: id, Addr: lockBase, Site: 2})
		to := 1 + rng.IntN(nodes-1)
		for i := range to {
			node := sharedBase + 48*trace.Addr(i)
			t.put(trace.Event{Kind: trace.Read, G: id, Addr: node, Size: 8, Site: 3}, trace.Event{Kind: trace.Read, G: id, Addr: node + 8, Size: 8, Site: 4})
		}
		t.put(trace.Event{Kind: trace.Write, G: id, Addr: sharedBase + 48*trace.Addr(to) + 8, Size: 8, Site: 5})
		t.put(trace.Event{Kind: trace.Release, G: id, Addr: lockBase, Site: 6})
		total += len(t.buf)
		return total < n
	}
	return t
}

func spawn(n int, _ uint64) *Trace {
	const batch = 100
	t, next, total := &Trace{}, trace.G(2), 0
	t.more = func() bool {
		for g := range trace.G(batch) {
			t.put(trace.Event{Kind: trace.Fork, G: 1, Other: uint32(next + g), Site: 1})
		}
		for g := range trace.G(batch) {
			id := next + g
			t.put(
				trace.Event{Kind: trace.Read, G: id, Addr: sharedBase, Size: 8, Site: 2},
				trace.Event{Kind: trace.Acquire, G: id, Addr: lockBase, Site: 3},
				trace.Event{Kind: trace.Read, G: id, Addr: sharedBase + 64, Size: 8, Site: 4},
				trace.Event{Kind: trace.Write, G: id, Addr: sharedBase + 64, Size: 8, Site: 5},
				trace.Event{Kind: trace.Release, G: id, Addr: lockBase, Site: 6},
				trace.Event{Kind: trace.HardMerge, G: id, Addr: objectBase, Site: 7},
				trace.Event{Kind: trace.End, G: id, Site: 8},
			)
		}
		t.put(trace.Event{Kind: trace.HardAcquire, G: 1, Addr: objectBase, Site: 9})
		next += batch
		total += len(t.buf)
		return total < n
	}
	return t
}

// pool hands out work through a buffered channel: an object per place in the buffer, as the runtime
// reports it.
func pool(n int, seed uint64) *Trace {
	const workers, waiting, places = 16, 2000, 32
	t, rng, total := &Trace{}, rand.New(rand.NewPCG(seed, 3)), 0
	for g := range uint32(workers + waiting) {
		t.put(trace.Event{Kind: trace.Fork, G: 1, Other: 2 + g, Site: 1})
	}
	for g := range trace.G(waiting) { // each has run once
		t.put(trace.Event{Kind: trace.HardSwap, G: 2 + workers + g, Addr: objectBase + 4096, Site: 2})
	}
	k := 0
	t.more = func() bool {
		k++
		place := objectBase + 16*trace.Addr(k%places)
		job := sharedBase + 4096 + 64*trace.Addr(k%1000)
		id := trace.G(2 + rng.IntN(workers))
		t.put(
			trace.Event{Kind: trace.Alloc, G: 1, Addr: job, Size: 64, Site: 3},
			trace.Event{Kind: trace.Write, G: 1, Addr: job, Size: 8, Site: 3},
			trace.Event{Kind: trace.Write, G: 1, Addr: job + 8, Size: 8, Site: 4},
			trace.Event{Kind: trace.HardSwap, G: 1, Addr: place, Site: 5},
			trace.Event{Kind: trace.HardSwap, G: id, Addr: place, Site: 6},
			trace.Event{Kind: trace.Read, G: id, Addr: job, Size: 8, Site: 7},
			trace.Event{Kind: trace.Read, G: id, Addr: job + 8, Size: 8, Site: 8},
			trace.Event{Kind: trace.Write, G: id, Addr: job + 16, Size: 8, Site: 9},
			trace.Event{Kind: trace.Acquire, G: id, Addr: lockBase, Site: 10},
			trace.Event{Kind: trace.Read, G: id, Addr: sharedBase, Size: 8, Site: 11},
			trace.Event{Kind: trace.Write, G: id, Addr: sharedBase, Size: 8, Site: 12},
			trace.Event{Kind: trace.Release, G: id, Addr: lockBase, Site: 13},
		)
		total += len(t.buf)
		return total < n
	}
	return t
}
