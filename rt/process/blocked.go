//go:build racepred_seam

package process

import (
	"strconv"
	_ "unsafe" // go:linkname

	"github.com/racepred/racepred/internal/blocked"
	"github.com/racepred/racepred/internal/present"
	"github.com/racepred/racepred/internal/trace"
)

//go:linkname runtime_blocked
func runtime_blocked(find bool, list []rpBlocked) (n int)

//go:linkname runtime_locking
func runtime_locking() bool

// blocked reports what waits in vain when the process ends: goroutines that are in a cycle of locks, and those that nobody can wake. A fatal error leaves
// the runtime in no state to collect garbage, and a goroutine that a signal stops would go on.
func (a *analysis) blocked(how int32) {
	if a.discarding || how == rpEndsExec {
		return
	}
	waiting := a.waiting(false)
	if len(waiting) > 0 && !a.noLeaks && how != rpEndsByFatal && how != rpEndsBySignal {
		waiting = a.waiting(true)
	}
	a.leaks(waiting, a.deadlocks(waiting, false))
	a.writeFindings()
}

// lockEvery is how long the helper waits until it looks for cycles of locks again, in nanoseconds.
const lockEvery = 1e9

// watchLocks reports cycles of locks while the program runs: its goroutines wait for each other for ever, and go test for its timeout. It reports whether
// somebody waits for a lock, so that the helper has to come again.
func (a *analysis) watchLocks(now int64) bool {
	if a.discarding || !runtime_locking() {
		return false
	}
	if now >= a.lookAtLocks {
		a.lookAtLocks = now + lockEvery
		a.deadlocks(a.waiting(false), true)
	}
	return true
}

// cycleLooks is how many times in a row a cycle is seen before it is one while the program runs: a goroutine that is in none may yet give back a lock that another one took.
const cycleLooks = 4

// lasting is those of the cycles that are as they were the last times.
func (a *analysis) lasting(cycles [][]blocked.Goroutine, sections map[trace.G][]trace.Seq) (list [][]blocked.Goroutine) {
	seen := map[string]int{}
	for _, c := range cycles {
		var key []byte
		for _, g := range c {
			key = strconv.AppendUint(append(key, ' '), uint64(g.G), 10)
			key = strconv.AppendUint(append(key, ':'), uint64(g.Lock), 16)
			for _, begun := range sections[g.G] {
				key = strconv.AppendUint(append(key, ','), uint64(begun), 10)
			}
		}
		n := a.cycles[string(key)] + 1
		seen[string(key)] = n
		if n >= cycleLooks {
			list = append(list, c)
		}
	}
	a.cycles = seen
	return list
}

// waiting are the goroutines that wait for others now. With find, the collector says which of them nobody can wake.
func (a *analysis) waiting(find bool) (list []present.Waiting) {
	buf := make([]rpBlocked, 1<<8)
	n := runtime_blocked(find, buf)
	for n > len(buf) {
		buf = make([]rpBlocked, n+n/4)
		n = runtime_blocked(false, buf) // those that were found are still marked
	}
	for _, b := range buf[:n] {
		wait := blocked.Wait(b.why)
		g := blocked.Goroutine{G: trace.G(b.id), Stack: trace.Stack(b.stack), Wait: wait, Lock: blocked.LockOf(wait, trace.Addr(b.on)), Stuck: b.stuck}
		list = append(list, present.Waiting{Goroutine: g})
	}
	return list
}

// deadlocks reports the cycles of locks among those that wait, and returns who is in one. While the program runs, only those that last are.
func (a *analysis) deadlocks(waiting []present.Waiting, runs bool) (in map[trace.G]bool) {
	var holders []blocked.Holder
	sections := map[trace.G][]trace.Seq{}
	a.engine.Holding(func(g trace.G, lock trace.Addr, shared bool, begun trace.Seq) {
		holders = append(holders, blocked.Holder{G: g, Lock: lock, Shared: shared})
		sections[g] = append(sections[g], begun)
	})
	if len(holders) == 0 {
		return nil
	}
	gs := make([]blocked.Goroutine, len(waiting))
	for i := range waiting {
		gs[i] = waiting[i].Goroutine
	}
	cycles := blocked.Cycles(gs, holders)
	if runs {
		cycles = a.lasting(cycles, sections)
	}
	in = map[trace.G]bool{}
	for _, c := range cycles {
		var cycle []present.Waiting
		for _, g := range c {
			in[g.G] = true
			cycle = append(cycle, a.known(present.Waiting{Goroutine: g}))
		}
		out, first, ok := a.namer.Deadlock(cycle)
		if first {
			a.races++
		}
		if ok {
			a.give(&out, true)
		}
	}
	return in
}

// leaksPrinted is how many leaks a process prints. Many a suite that never stops what it starts has dozens.
const leaksPrinted = 5

// leaks reports the goroutines that nobody can wake, but for those in a cycle of locks, once for each place.
func (a *analysis) leaks(waiting []present.Waiting, but map[trace.G]bool) {
	var places []string
	given := 0
	first, count := map[string]present.Waiting{}, map[string]int{}
	for _, w := range waiting {
		if !w.Stuck || but[w.Goroutine.G] {
			continue
		}
		w = a.known(w)
		at, ok := a.namer.Position(&w)
		if !ok {
			continue
		}
		if count[at]++; count[at] == 1 {
			places = append(places, at)
			first[at] = w
		}
	}
	for _, at := range places {
		w := first[at]
		if out, ok := a.namer.Leak(&w, count[at]); ok {
			a.give(&out, given < leaksPrinted)
			given++
		}
	}
	if more := given - leaksPrinted; more > 0 {
		runtime_write([]byte("racepred: places where goroutines are left behind, besides these: " + strconv.Itoa(more) + " (-report FILE has them)\n"))
	}
}

// known adds what the engine knows of a goroutine.
func (a *analysis) known(w present.Waiting) present.Waiting {
	w.Participant = a.engine.Present(trace.Event{G: w.Goroutine.G, Stack: w.Stack, Addr: w.Lock})
	return w
}
