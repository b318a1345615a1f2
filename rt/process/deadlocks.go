//go:build racepred_seam

package process

import (
	"slices"
	"strconv"

	"github.com/racepred/racepred/internal/blocked"
	"github.com/racepred/racepred/internal/present"
	"github.com/racepred/racepred/internal/trace"
)

// A cycle of goroutines, each of which waits for a lock that the next one took, is no deadlock yet:
// any goroutine may unlock a lock of package sync, not only the one that locked it. So
//
//	(D1) a cycle is observed if it is proven that no goroutine can unlock one of its locks: no other
//	     goroutine can run, now or later, or the collector finds that those that can run do not
//	     reach what the goroutines of the cycle wait for;
//	(D2) while the program runs, a proof is tried for cycles that last, and tried again for those
//	     without one;
//	(D3) when a process is ended from outside, by its -timeout or a signal, a cycle that lasted
//	     until then is observed, since it had time enough; the report says that it is not proven;
//	(D4) at any other end, a cycle without a proof is possible: a goroutine that was about to unlock
//	     one of the locks may not have had the time;
//	(D5) a cycle without a proof that goes on is named once while the program runs, as no finding
//	     yet: a test that hangs does so for ten minutes, unless -timeout says otherwise.

// When deadlocks are looked for.
type moment int

const (
	whileRuns moment = iota
	atEnd
	whenKilled // by -timeout or a signal
)

// cycleLooks is how many times in a row a cycle must be seen to be one that lasts.
const cycleLooks = 4

// namedLooks is how many times in a row a cycle must be seen to be named. (D5)
const namedLooks = 10

// cycle is what is known of one that was there at the latest look. What is proven stays so while
// the same goroutines wait in the same sections.
type cycle struct {
	looks  int // in a row
	proven bool
}

// deadlocks reports the cycles of locks among the goroutines that wait, and returns the goroutines
// that are in one.
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
	seen := map[string]cycle{}
	for _, c := range blocked.Cycles(gs, holders) {
		key := cycleKey(c, sections)
		was := a.cycles[key]
		looks := was.looks + 1
		for _, g := range c {
			in[g.G] = true
		}
		if was.proven { // and reported
			seen[key] = was
			continue
		}
		proven := (when != whileRuns || looks >= cycleLooks) && w.stuck(c) // (D1)
		if when == whileRuns {
			if !proven && looks >= cycleLooks && looks&(looks-1) == 0 { // (D2)
				found := a.waiting(rpFind)
				proven = found.stuck(c)
			}
			seen[key] = cycle{looks, proven}
			if !proven {
				if looks == namedLooks {
					a.name(c)
				}
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
	out, first, ok := a.namer.Deadlock(a.inCycle(c), standing, a.engine.Around)
	if first {
		a.races++
	}
	if ok {
		a.give(&out, out.Verdict.Fails() || a.possible)
	}
}

// name says that the goroutines of a cycle wait, and where. (D5)
func (a *analysis) name(c []blocked.Goroutine) {
	seconds := strconv.Itoa(namedLooks * lockEvery / 1e9)
	locks := "one of them"
	text := "racepred: " + strconv.Itoa(len(c)) + " goroutines have waited for each other's locks for " + seconds + " s:\n"
	if len(c) == 1 {
		locks = "it"
		text = "racepred: a goroutine has waited for " + seconds + " s for a lock that it holds itself:\n"
	}
	for _, w := range a.inCycle(c) {
		text += "    " + a.namer.Line(&w, a.printer.Root) + "\n"
	}
	runtime_write([]byte(text + "racepred: that is a deadlock, unless a goroutine which still runs unlocks " + locks + "; if none does, it is reported when the process ends\n"))
}

// inCycle are the goroutines of a cycle, with what the engine knows of each.
func (a *analysis) inCycle(c []blocked.Goroutine) (list []present.Waiting) {
	for _, g := range c {
		list = append(list, a.known(present.Waiting{Goroutine: g}))
	}
	return list
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
