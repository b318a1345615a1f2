package main

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// maxEvents is what oracle.Relation has room for, maxStates bounds an exploration.
const (
	maxEvents = 64
	maxStates = 300_000
)

// comparison counts.
type comparison struct {
	traces, large, open               int // compared; too long for a relation; not explored to the end, so that races were not compared
	events, races, inOrder, deadlocks int
	proven, candidates                int // of the races
	differences                       int
}

func (c *comparison) print(w io.Writer) {
	fmt.Fprintf(w, "%d traces, %d events: %d predictable races, %d of them sync-preserving; %d traces with a predictable deadlock\n",
		c.traces, c.events, c.races, c.inOrder, c.deadlocks)
	fmt.Fprintf(w, "%d traces had too many states, their races were not compared; %d more had over %d events and were left out\n", c.open, c.large, maxEvents)
	fmt.Fprintf(w, "of the races, %d are candidates of syncrev or wcp, and %d of these have a witness\n", c.candidates, c.proven)
	fmt.Fprintf(w, "%d differences\n", c.differences)
}

var plants = []string{"hb", "fig1a", "wcp1b", "fig2a", "wcp2b", "wcp3", "m2", "syncp", "dl2", "dl2g"}

func compare(python, dir string, n int, seed uint64) (*comparison, error) {
	p, err := start(python, dir)
	if err != nil {
		return nil, err
	}
	c := &comparison{}
	for i := range n {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		a, err := next(p, rng, i)
		if err != nil {
			return nil, fmt.Errorf("trace %d: %w", i, err)
		}
		evs, err := trace.ParseSTD(strings.NewReader(a.Trace))
		if err != nil {
			return nil, fmt.Errorf("trace %d: %w", i, err)
		}
		if len(evs) > maxEvents {
			c.large++
			continue
		}
		for k := range evs {
			evs[k].Site = trace.Site(k + 1)
		}
		if err := c.trace(evs, a); err != nil {
			return nil, fmt.Errorf("trace %d: %w", i, err)
		}
		if (i+1)%500 == 0 {
			fmt.Fprintf(os.Stderr, "agree: %d traces, %d differences\n", i+1, c.differences)
		}
	}
	return c, p.close()
}

// next is the other oracle's answer about another trace.
func next(p *peer, rng *rand.Rand, i int) (*answer, error) {
	if i%2 == 0 {
		f := oracle.Features{Fork: rng.IntN(2) == 0, NonLIFO: rng.IntN(2) == 0, Locks: rng.IntN(2) == 0}
		return p.about(eventful(oracle.Random(rng, 10+rng.IntN(19), f)))
	}
	threads, plant := 2+rng.IntN(3), ""
	if rng.IntN(3) == 0 { // a pattern takes up to three threads, and gen_trace.py waits for them
		threads, plant = 3+rng.IntN(2), " --plant "+plants[rng.IntN(len(plants))]
	}
	args := fmt.Sprintf("gen --events %d --threads %d --locks %d --vars %d --local-vars 1 --p-cs 0.4 --p-nest 0.25 --cs-len 2 --p-local 0.05 --p-shared 0.4 --p-unprot 0.3 --p-disorder 0.3 --quantum 4 --seed %d",
		8+rng.IntN(16), threads, 2+rng.IntN(2), 2+rng.IntN(3), rng.IntN(1<<30))
	if rng.IntN(2) == 0 {
		args += " --no-fork"
	}
	args += plant
	return p.ask(args + "\n")
}

// eventful gives every goroutine that is joined an event: what a Join of one without any waits for,
// its Fork or nothing, the oracles take differently.
func eventful(evs []trace.Event) (out []trace.Event) {
	has := map[trace.G]bool{}
	for _, e := range evs {
		if g := trace.G(e.Other); e.Kind == trace.Join && !has[g] {
			out = append(out, trace.Event{Kind: trace.Begin, G: g})
			has[g] = true
		}
		has[e.G] = true
		out = append(out, e)
	}
	return out
}

func (c *comparison) trace(evs []trace.Event, a *answer) error {
	c.traces++
	c.events += len(evs)
	differs := func(what string, ours, theirs any) {
		c.differences++
		fmt.Printf("%s: ours %v, theirs %v\n%s\n", what, ours, theirs, a.Trace)
	}
	orders := map[string]map[oracle.Pair]bool{}
	for _, r := range []struct {
		name   string
		ours   oracle.Relation
		theirs []string
	}{{"HB", oracle.HB(evs), a.HB}, {"SHB", oracle.SHB(evs), a.SHB}, {"WCP", oracle.PaperWCP(evs), a.WCP}} {
		theirs, err := relation(r.theirs)
		if err != nil {
			return err
		}
		for i := range evs {
			if r.ours[i] != theirs[i] {
				differs(fmt.Sprintf("%s after event %d", r.name, i), r.ours[i], theirs[i])
			}
		}
		orders[r.name] = theirs.Races(evs)
	}
	same := func(what string, ours, theirs any, equal bool) {
		if !equal {
			differs(what, ours, theirs)
		}
	}
	for _, name := range []string{"HB", "WCP"} {
		ours, theirs := oracle.Seconds(run(evs, strings.ToLower(name))), oracle.Seconds(orders[name])
		if name == "WCP" { // the predictor does not compose fork and join with the edges of locks; sections that do not nest are hard for it
			for e := range theirs {
				same("predictor WCP", ours, theirs, ours[e] || unnested(evs))
			}
			continue
		}
		same("predictor "+name, ours, theirs, maps.Equal(ours, theirs))
	}
	// A read that comes after its own writer can still race with it, so the relation has fewer
	// races than SHB reports.
	reported := run(evs, "shb")
	for p := range orders["SHB"] {
		same(fmt.Sprintf("predictor SHB misses %v", p), false, true, oracle.Seconds(reported)[p[1]])
	}
	if !a.Complete {
		c.open++
		return nil
	}
	c.pairs(evs, a, reported, same)
	return nil
}

// pairs compares what the explorations found.
func (c *comparison) pairs(evs []trace.Event, a *answer, schedulable map[oracle.Pair]bool, same func(string, any, any, bool)) {
	all, inOrder := oracle.Explore(evs, maxStates), oracle.ExploreInOrder(evs, maxStates)
	if !all.Complete || !inOrder.Complete {
		c.open++
		return
	}
	races, kept := set(a.Races), set(a.InOrder)
	same("races", all.Races, races, maps.Equal(all.Races, races))
	same("sync-preserving races", inOrder.Races, kept, maps.Equal(inOrder.Races, kept))
	same("deadlock", all.Deadlock(), a.Deadlock, all.Deadlock() == a.Deadlock)
	got := run(evs, "syncp")
	same("predictor SyncP", got, kept, maps.Equal(got, kept))
	for p := range schedulable {
		same(fmt.Sprintf("predictor SHB: %v", p), true, false, races[p])
	}
	c.races += len(races)
	c.inOrder += len(kept)
	if a.Deadlock {
		c.deadlocks++
	}
	proposed := run(evs, "syncrev")
	weak := run(evs, "wcp")
	same("wcp reports without a race or deadlock", weak, nil, len(weak) == 0 || len(races) > 0 || a.Deadlock || unnested(evs))
	maps.Copy(proposed, weak)
	f := witness.New(evs, witness.Options{})
	for p := range proposed {
		v := f.Find(goal.RaceOf(int32(p[0]), int32(p[1]))).Verdict
		same(fmt.Sprintf("witness of %v", p), v, races[p], v == witness.Unknown || (v == witness.Feasible) == races[p])
		if races[p] {
			c.candidates++
			if v == witness.Feasible {
				c.proven++
			}
		}
	}
}

// unnested reports whether sections do not nest, which WCP's guarantee is not about.
func unnested(evs []trace.Event) bool {
	held := map[trace.G][]trace.Addr{}
	for _, e := range evs {
		switch list := held[e.G]; e.Kind {
		case trace.Acquire:
			held[e.G] = append(list, e.Addr)
		case trace.Release:
			if len(list) == 0 || list[len(list)-1] != e.Addr {
				return true
			}
			held[e.G] = list[:len(list)-1]
		}
	}
	return false
}

func run(evs []trace.Event, name string) map[oracle.Pair]bool {
	pairs := map[oracle.Pair]bool{}
	p := predictors.One(name, predict.Config{Complete: true}, func(c predict.Candidate) { pairs[oracle.Pair{int(c.First().Seq), int(c.Last().Seq)}] = true })
	for i := range evs {
		p.Event(trace.Seq(i), &evs[i])
	}
	return pairs
}

func set(pairs []oracle.Pair) map[oracle.Pair]bool {
	m := map[oracle.Pair]bool{}
	for _, p := range pairs {
		m[p] = true
	}
	return m
}
