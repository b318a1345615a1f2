package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
	"github.com/racepred/racepred/internal/witness/check"
)

// slice is a slice's header: an array's number, length and capacity.
type slice struct{ array, len, cap int }

// heap is the memory of a run with lists: variables that hold slices, each goroutine's copy of a
// slice, arrays, and how many elements were ever put into them.
type heap struct {
	lists  map[trace.Addr]slice
	copies map[trace.G]slice
	made   map[trace.G]slice // append's result before it is stored
	arrays map[int][]int
}

func newHeap() *heap {
	return &heap{lists: map[trace.Addr]slice{}, copies: map[trace.G]slice{}, made: map[trace.G]slice{}, arrays: map[int][]int{}}
}

// doing is the operation of an event of such a run; n is an operand.
type doing struct {
	op   deed
	n    int
	list trace.Addr
	at   int // the append's event
}

type deed int

const (
	nothing    deed = iota
	loads           // the goroutine's copy, from the list
	looksAtLen      // of the list
	clears          // the list
	makes           // it with room for n
	stores          // the first n elements of the goroutine's copy
	begins          // to append n elements to list
	appends         // stores what that has made
	gets            // element n of the copy, which may lie behind its length
	puts
)

// do executes event i and returns what it found.
func (h *heap) do(i int, e *trace.Event, d doing) string {
	list, mine := h.lists[e.Addr], h.copies[e.G]
	switch d.op {
	case loads:
		h.copies[e.G] = list
		return fmt.Sprint(list)
	case looksAtLen:
		return fmt.Sprint(h.lists[e.Addr-8].len)
	case clears:
		h.lists[e.Addr] = slice{}
	case makes:
		h.arrays[i] = make([]int, d.n)
		h.lists[e.Addr] = slice{i, 0, d.n}
	case stores:
		mine.len = d.n
		h.lists[e.Addr] = mine
	case begins, appends:
		made, begun := h.made[e.G]
		if !begun {
			made = h.append(h.lists[d.list], d)
		}
		h.made[e.G] = made
		if d.op == appends {
			h.lists[d.list] = made
			delete(h.made, e.G)
		}
	case gets:
		return fmt.Sprint(h.arrays[mine.array][d.n])
	case puts:
		h.arrays[mine.array][d.n] = i
	}
	return ""
}

// append is append of d.n elements.
func (h *heap) append(list slice, d doing) slice {
	if list.len+d.n > list.cap {
		h.arrays[d.at] = make([]int, list.len+d.n+d.at%3)
		copy(h.arrays[d.at], h.arrays[list.array][:list.len])
		list = slice{d.at, list.len, len(h.arrays[d.at])}
	}
	for range d.n {
		h.arrays[list.array][list.len] = d.at
		list.len++
	}
	return list
}

// address is where an element of an array is in the run.
func address(array, n int) trace.Addr { return trace.Addr(0x10000 + 0x100*array + 8*n) }

// listing is a run of goroutines with locks that append to lists, read, store and share them. Its
// events are those of the recorder, without dropped repeats, and with FlagAppend.
func listing(rng *rand.Rand, n int) (evs []trace.Event, does []doing) {
	h := newHeap()
	put := func(e trace.Event, d doing) {
		e.Site = trace.Site(len(evs) + 1)
		h.do(len(evs), &e, d)
		evs, does = append(evs, e), append(does, d)
	}
	for g := trace.G(1); g <= 3 && rng.IntN(4) > 0; g++ { // a list with room, of which others have copies
		lock := trace.Event{Kind: trace.Acquire, G: g, Addr: 0x10}
		put(lock, doing{})
		if g == 1 {
			put(trace.Event{Kind: trace.Write, G: g, Addr: 0x1000, Size: 24}, doing{op: makes, n: 2 + rng.IntN(4)})
		}
		put(trace.Event{Kind: trace.Read, G: g, Addr: 0x1000, Size: 24}, doing{op: loads})
		lock.Kind = trace.Release
		put(lock, doing{})
	}
	holder := trace.G(0)
	g := trace.G(1)
	for len(evs) < n {
		if rng.IntN(5) == 0 {
			g = trace.G(1 + rng.IntN(3))
		}
		at := trace.Addr(0x1000 + 0x40*(rng.IntN(5)/4))
		event := func(k trace.Kind, f trace.Flags, a trace.Addr, size int) trace.Event {
			return trace.Event{Kind: k, Flags: f, G: g, Addr: a, Size: uint32(size)}
		}
		mine := h.copies[g]
		switch k := rng.IntN(28); {
		case k < 6 && holder == 0:
			holder = g
			put(event(trace.Acquire, 0, 0x10, 0), doing{})
		case (k < 4 || k < 16 && len(evs) > 0 && evs[len(evs)-1].Kind.Spec().Access) && holder == g:
			holder = 0
			put(event(trace.Release, 0, 0x10, 0), doing{})
		case k == 6 && rng.IntN(4) == 0:
			put(event(trace.Write, 0, 0x10f0, 8), doing{})
		case (k == 7 || k > 23) && mine.cap > 0 && (holder == g || rng.IntN(40) == 0):
			n := rng.IntN(mine.cap)
			put(event(trace.Read, 0, address(mine.array, n), 8), doing{op: gets, n: n})
		case k == 8 && mine.cap > 0 && rng.IntN(2) == 0:
			n := rng.IntN(mine.cap)
			put(event(trace.Write, 0, address(mine.array, n), 8), doing{op: puts, n: n})
		case holder != g && rng.IntN(40) > 0:
		case k == 9 && rng.IntN(2) == 0:
			put(event(trace.Read, 0, at, 24), doing{op: loads})
		case k == 10 && rng.IntN(2) == 0:
			put(event(trace.Read, 0, at+8, 8), doing{op: looksAtLen})
		case k == 11 && rng.IntN(3) == 0:
			put(event(trace.Write, 0, at, 24), doing{op: clears})
		case k == 12 && rng.IntN(2) == 0:
			put(event(trace.Write, 0, at, 24), doing{op: makes, n: 1 + rng.IntN(5)})
		case k == 13 && rng.IntN(3) == 0:
			put(event(trace.Write, 0, at, 24), doing{op: stores, n: rng.IntN(mine.cap + 1)})
		case k > 13 && k < 24 && holder == g:
			list, n := h.lists[at], 1+rng.IntN(5)/3
			grows := list.len+n > list.cap
			part, whole := trace.FlagAppend, trace.FlagAppend|trace.FlagUnseen
			if grows && list.len < list.cap {
				part, whole = 0, 0
				put(event(trace.Read, 0, at, 24), doing{})
			}
			d := doing{op: appends, n: n, list: at, at: len(evs)}
			header := event(trace.Write, whole, at, 24)
			after := doing{}
			if whole != 0 {
				put(header, d)
			} else {
				after = d
				after.op = begins
			}
			if grows && list.len > 0 {
				put(event(trace.Read, part, address(list.array, 0), 8*list.len), after)
			} else if !grows {
				put(event(trace.Write, part, address(list.array, list.len), 8*n), after)
			}
			if whole == 0 {
				put(header, d)
			}
		}
	}
	return evs, does
}

// repeated drops the events that a recorder drops from such a run: accesses that repeat one of
// their span, but none of appends.
func repeated(evs []trace.Event) (kept []trace.Event, at []int) {
	type did struct {
		g    trace.G
		kind trace.Kind
		addr trace.Addr
		size uint32
	}
	spans := map[did]bool{}
	for i, e := range evs {
		if e.Kind.Spec().EndsSpan {
			for k := range spans {
				if k.g == e.G {
					delete(spans, k)
				}
			}
		}
		if e.Kind.Spec().Access && e.Flags&trace.FlagAppend == 0 {
			k := did{e.G, e.Kind, e.Addr, e.Size}
			if spans[k] || spans[did{e.G, trace.Write, e.Addr, e.Size}] {
				continue
			}
			spans[k] = true
		}
		kept, at = append(kept, e), append(at, i)
	}
	return kept, at
}

// TestSchedulesOfAppendsRun records such runs and executes the reorderings that the checker
// accepts. Each read finds what it found in the run.
func TestSchedulesOfAppendsRun(t *testing.T) {
	var schedules, read, elements, turned, dropped int
	for seed := range some(uint64(5000)) {
		rng := rand.New(rand.NewPCG(seed, 43))
		evs, does := listing(rng, 20+int(seed%20))
		found := make([]string, len(evs))
		h := newHeap()
		for i := range evs {
			found[i] = h.do(i, &evs[i], does[i])
		}
		kept, at := evs, []int(nil)
		if seed%3 == 0 {
			kept, at = repeated(evs)
		} else {
			for i := range evs {
				at = append(at, i)
			}
		}
		dropped += len(evs) - len(kept)
		isKept := map[int]bool{}
		for _, i := range at {
			isKept[i] = true
		}
		of := map[trace.G][]int{}
		for i := range evs {
			of[evs[i].G] = append(of[evs[i].G], i)
		}
		p := hb.New(predict.Config{}, func(predict.Candidate) {})
		for i := range kept {
			p.Event(trace.Seq(i), &kept[i])
		}
		c := check.New(kept, check.Options{Dropped: seed%3 == 0})
		for range 8 {
			schedule := oracle.Walk(rng, kept)
			if err := c.Check(places(schedule), goal.RaceOf(0, 1)); err != nil && strings.Contains(err.Error(), "check: step") ||
				slices.ContainsFunc(schedule, func(k int) bool {
					return (kept[k].Kind == trace.Read || kept[k].Append()) && p.Racy(kept[k].Addr, kept[k].Size, 0) != hb.Certain
				}) {
				continue
			}
			schedules++
			h, pos := newHeap(), map[trace.G]int{}
			do := func(g trace.G) {
				i := of[g][pos[g]]
				pos[g]++
				got := h.do(i, &evs[i], does[i])
				if evs[i].Kind == trace.Read && p.Racy(evs[i].Addr, evs[i].Size, 0) != hb.Certain {
					return // and was left out
				}
				require.Equal(t, found[i], got, "seed %d: event %d of %v; kept %v%s\nrun:%s", seed, i, schedule, at, oracletest.Text(kept), oracletest.Text(evs))
				if evs[i].Kind == trace.Read {
					read++
				}
				if does[i].op == gets {
					elements++
				}
			}
			last := -1
			for _, k := range schedule {
				if kept[k].Append() {
					if k < last {
						turned++
					}
					last = k
				}
				g := kept[k].G
				for do(g); pos[g] < len(of[g]) && !isKept[of[g][pos[g]]]; {
					do(g)
				}
			}
		}
	}
	t.Logf("%d schedules, %d reads, %d of them of elements, %d appends turned round; %d accesses left out", schedules, read, elements, turned, dropped)
	for _, n := range []int{schedules, read, elements, turned, dropped} {
		require.NotZero(t, n)
	}
}

// TestWitnessesOfAppends: a feasible pair of the recording is a race of the oracle.
func TestWitnessesOfAppends(t *testing.T) {
	var feasible, races int
	for seed := range uint64(1500) {
		evs, _ := listing(rand.New(rand.NewPCG(seed, 44)), 10+int(seed%16))
		truth := oracle.Explore(evs, 100_000)
		if !truth.Complete {
			continue
		}
		races += len(truth.Races)
		w := witness.New(evs, witness.Options{})
		for _, p := range conflicts(evs) {
			switch a := w.Find(goal.RaceOf(int32(p[0]), int32(p[1]))); a.Verdict {
			case witness.Feasible:
				feasible++
				require.True(t, truth.Races[p], "seed %d: %v: %v%s", seed, p, a.Schedule, oracletest.Text(evs))
			case witness.Infeasible:
				require.False(t, truth.Races[p], "seed %d: %v%s", seed, p, oracletest.Text(evs))
			}
		}
	}
	t.Logf("%d of %d races have a witness", feasible, races)
	require.NotZero(t, feasible)
}
