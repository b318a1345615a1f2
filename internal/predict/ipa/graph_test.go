package ipa_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/predict/ipa"
	"github.com/racepred/racepred/internal/trace"
)

var rounds = flag.Int("rounds", 1, "how many times as many random traces")

// graph is the lockset graph of a whole trace: its states say how far each goroutine is, its edges
// are events that locks and the hard order allow. It is searched without any rule, breadth first.
type graph struct {
	evs   []trace.Event
	of    map[trace.G][]int // events by goroutine
	gs    []trace.G
	place []int   // in its goroutine
	needs [][]int // events that come first
	to    [][]bool
	seen  map[string]bool
	meet  map[[2]int]bool // pairs of events that some state has as the next ones of their goroutines
}

func newGraph(evs []trace.Event) *graph {
	g := &graph{evs: evs, of: map[trace.G][]int{}, needs: make([][]int, len(evs)), meet: map[[2]int]bool{}, seen: map[string]bool{}}
	holds := map[trace.Addr][]int{}
	forks := map[trace.G]int{}
	for i := range evs {
		ev := &evs[i]
		if len(g.of[ev.G]) == 0 {
			g.gs = append(g.gs, ev.G)
			if f, ok := forks[ev.G]; ok {
				g.needs[i] = append(g.needs[i], f)
			}
		}
		g.place = append(g.place, len(g.of[ev.G]))
		g.of[ev.G] = append(g.of[ev.G], i)
		switch ev.Kind {
		case trace.Fork:
			forks[trace.G(ev.Other)] = i
		case trace.Join:
			g.needs[i] = append(g.needs[i], g.of[trace.G(ev.Other)]...)
			if f, ok := forks[trace.G(ev.Other)]; ok {
				g.needs[i] = append(g.needs[i], f)
			}
		}
		spec := ev.Kind.Spec()
		if spec.Takes {
			g.needs[i] = append(g.needs[i], holds[ev.Addr]...)
		}
		if spec.Resets {
			holds[ev.Addr] = nil
		}
		if spec.Gives {
			holds[ev.Addr] = append(slices.Clip(holds[ev.Addr]), i)
		}
	}
	return g
}

// ordered reports whether the hard order has i before j.
func (g *graph) ordered(i, j int) bool {
	if g.to == nil {
		g.to = make([][]bool, len(g.evs))
		for k := range g.evs {
			g.to[k] = make([]bool, len(g.evs))
			first := g.needs[k]
			if p := g.place[k]; p > 0 {
				first = append(first, g.of[g.evs[k].G][p-1])
			}
			for _, f := range first {
				g.to[f][k] = true
				for e := range k {
					if g.to[e][f] {
						g.to[e][k] = true
					}
				}
			}
		}
	}
	return g.to[i][j]
}

// explore goes through all states.
func (g *graph) explore() {
	queue := [][]byte{make([]byte, len(g.gs))}
	g.seen[string(queue[0])] = true
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		var next []int
		for i, id := range g.gs {
			if int(at[i]) < len(g.of[id]) {
				next = append(next, g.of[id][at[i]])
			}
		}
		for _, e := range next {
			for _, f := range next {
				g.meet[[2]int{e, f}] = true
			}
		}
		for i, id := range g.gs {
			if int(at[i]) == len(g.of[id]) || !g.can(at, g.of[id][at[i]]) {
				continue
			}
			to := append([]byte(nil), at...)
			to[i]++
			if !g.seen[string(to)] {
				g.seen[string(to)] = true
				queue = append(queue, to)
			}
		}
	}
}

// can reports whether an event can be executed in a state.
func (g *graph) can(at []byte, e int) bool {
	done := func(f int) bool {
		for i, id := range g.gs {
			if id == g.evs[f].G {
				return g.place[f] < int(at[i])
			}
		}
		return false
	}
	for _, f := range g.needs[e] {
		if !done(f) {
			return false
		}
	}
	ev := &g.evs[e]
	if !ev.Kind.Spec().Opens {
		return true
	}
	for i, id := range g.gs {
		readers, writers := 0, 0
		for _, f := range g.of[id][:at[i]] {
			if o := &g.evs[f]; o.Addr == ev.Addr {
				switch o.Kind {
				case trace.Acquire:
					writers++
				case trace.Release:
					writers--
				case trace.RAcquire:
					readers++
				case trace.RRelease:
					readers--
				}
			}
		}
		if writers > 0 || readers > 0 && ev.Kind == trace.Acquire {
			return false
		}
	}
	return true
}

// TestLocksetGraph compares with breadth-first search of the lockset graph, on random histories
// with nested and other locking, readers, forks, joins and hard edges. Of two goroutines both
// strategies say what the search says; of more, strategy I misses nothing that is reachable, and
// strategy II has nothing that is not. Questions come in the order of the run, and some a second
// time at its end. -rounds asks for more of them.
func TestLocksetGraph(t *testing.T) {
	var n struct{ questions, two, reachable, unreachable, refusedI, foundII, unknown int }
	var sum ipa.Counters
	for seed := range uint64(700 * *rounds) {
		rng := rand.New(rand.NewPCG(seed, 20))
		f := oracle.Features{RW: seed%2 == 0, NonLIFO: seed%3 > 0, Hard: seed%4 > 1, Fork: seed%5 > 2, Locks: seed%7 > 0}
		evs := oracle.Random(rng, 10+int(seed%20), f)
		limits := ipa.Limits{}
		if seed%11 == 0 {
			limits.Events = 3
		}
		g := newGraph(evs)
		g.explore()
		var accesses []ipa.Access
		var h *ipa.Follow
		ask := func(i, j int) {
			a, b := accesses[i], accesses[j]
			if a.G == b.G || g.ordered(int(a.Seq), int(b.Seq)) {
				return
			}
			want := g.meet[[2]int{int(a.Seq), int(b.Seq)}]
			one, two := h.Reach(ipa.StrategyI, a, b), h.Reach(ipa.StrategyII, b, a)
			n.questions++
			if one == ipa.Unknown || two == ipa.Unknown {
				n.unknown++
				require.NotZero(t, limits.Events, "seed %d: %d and %d: %v %v%s", seed, a.Seq+1, b.Seq+1, one, two, oracletest.Text(evs))
			}
			if want {
				n.reachable++
				require.NotEqual(t, ipa.Unreachable, one, "seed %d: %d and %d: strategy I%s", seed, a.Seq+1, b.Seq+1, oracletest.Text(evs))
			} else {
				n.unreachable++
				require.NotEqual(t, ipa.Reachable, two, "seed %d: %d and %d: strategy II%s", seed, a.Seq+1, b.Seq+1, oracletest.Text(evs))
			}
			if one == ipa.Unreachable {
				n.refusedI++
			}
			if two == ipa.Reachable {
				n.foundII++
			}
			if len(g.gs) == 2 && one != ipa.Unknown && two != ipa.Unknown {
				n.two++
				require.Equal(t, want, one == ipa.Reachable, "seed %d: %d and %d: strategy I%s", seed, a.Seq+1, b.Seq+1, oracletest.Text(evs))
				require.Equal(t, want, two == ipa.Reachable, "seed %d: %d and %d: strategy II%s", seed, a.Seq+1, b.Seq+1, oracletest.Text(evs))
			}
		}
		h = follow(evs, limits, func(into *ipa.Follow, seq trace.Seq, ev *trace.Event) {
			h = into
			accesses = append(accesses, ipa.Access{G: ev.G, Seq: seq})
			for i := range accesses[:len(accesses)-1] {
				ask(i, len(accesses)-1)
			}
		})
		for range len(accesses) {
			if i, j := rng.IntN(len(accesses)), rng.IntN(len(accesses)); i != j {
				ask(min(i, j), max(i, j))
			}
		}
		sum.Queries += h.Queries
		sum.Calls += h.Calls
		sum.Potential += h.Potential
		sum.Branches += h.Branches
	}
	t.Logf("%+v; %+v", n, sum)
	require.NotZero(t, n.two)
	require.NotZero(t, n.reachable)
	require.NotZero(t, n.refusedI)
	require.NotZero(t, n.foundII)
	require.NotZero(t, sum.Branches)
}
