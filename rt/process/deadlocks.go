//go:build racepred_seam

package process

import (
	"slices"
	"strconv"

	"github.com/racepred/racepred/internal/blocked"
	"github.com/racepred/racepred/internal/present"
	"github.com/racepred/racepred/internal/trace"
)

// A cycle of goroutines each of which waits for a lock that the next one took is no deadlock yet: any goroutine may give back a lock of package sync, not only the one that took it. So
//
//	(D1) a cycle is observed if it is proven that nobody can give one of its locks back: no other goroutine can run, now or later, or the collector finds that all that can are out of
//	     reach of what the goroutines of the cycle wait for;
//	(D2) while the program runs, that is asked of cycles that last, and asked again of those without a proof;
//	(D3) a process that is ended from outside, by its -timeout or a signal, was waited for: a cycle that lasts until then is observed, and the report says what is not proven;
//	(D4) one without a proof at any other end is possible: who was about to give a lock back may not have come to it.

// When deadlocks are looked for.
type moment int

const (
	whileRuns moment = iota
	atEnd
	whenKilled // by -timeout or a signal
)

// cycleLooks is how many times in a row a cycle is seen before it is one that lasts.
const cycleLooks = 4

// deadlocks reports the cycles of locks among the goroutines that wait, and returns the goroutines that are in one.
func (a *analysis) deadlocks(w *waits, when moment) (in map[trace.G]bool) {
	var holders []blocked.Holder
	sections := map[trace.G][]trace.Seq{}
	a.engine.Holding(func(g trace.G, lock trace.Addr, shared bool, begun trace.Seq) {
		holders = append(holders, blocked.Holder{G: g, Lock: lock, Shared: shared})
		sections[g] = append(sections[g], begun)
	})
	if len(holders) == 0 {
		return nil
	}
	gs := make([]blocked.Goroutine, len(w.list))
	for i := range w.list {
		gs[i] = w.list[i].Goroutine
	}
	in = map[trace.G]bool{}
	seen := map[string]int{}
	for _, c := range blocked.Cycles(gs, holders) {
		key := cycleKey(c, sections)
		looks := a.cycles[key] + 1
		seen[key] = looks
		for _, g := range c {
			in[g.G] = true
		}
		proven := (when != whileRuns || looks >= cycleLooks) && w.stuck(c) // (D1)
		if when == whileRuns {
			if !proven && looks >= cycleLooks && looks&(looks-1) == 0 { // (D2)
				found := a.waiting(rpFind)
				proven = found.stuck(c)
			}
			if !proven {
				continue
			}
		}
		standing := present.Proven
		switch {
		case proven:
		case when == whenKilled && looks > cycleLooks: // (D3)
			standing = present.Lasting
		default: // (D4)
			standing = present.Unproven
		}
		a.deadlock(c, standing)
	}
	a.cycles = seen
	return in
}

func (a *analysis) deadlock(c []blocked.Goroutine, standing present.Standing) {
	var cycle []present.Waiting
	for _, g := range c {
		cycle = append(cycle, a.known(present.Waiting{Goroutine: g}))
	}
	out, first, ok := a.namer.Deadlock(cycle, standing, a.engine.Around)
	if first {
		a.races++
	}
	if ok {
		a.give(&out, out.Verdict.Fails() || a.possible)
	}
}

// cycleKey is the same for a cycle as long as nothing in it changes.
func cycleKey(c []blocked.Goroutine, sections map[trace.G][]trace.Seq) string {
	var key []byte
	for _, g := range c {
		key = strconv.AppendUint(append(key, ' '), uint64(g.G), 10)
		key = strconv.AppendUint(append(key, ':'), uint64(g.Lock), 16)
		begun := slices.Clone(sections[g.G])
		slices.Sort(begun)
		for _, b := range begun {
			key = strconv.AppendUint(append(key, ','), uint64(b), 10)
		}
	}
	return string(key)
}
