package gen

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/trace"
)

// Pattern is a block of events with a known answer, by three goroutines at most that hold nothing
// before and after it.
type Pattern struct {
	Name string
	HB   bool   // has a pair that happens-before leaves unordered
	WCP  bool   // has a pair that WCP leaves unordered
	Race bool   // has a race that a correct reordering shows
	Text string // one event after the other: goroutine, operation, operand
}

// sync is sync(x) of the figures: a section that reads and writes a variable of its lock.
func sync(g, x string) string {
	return strings.NewReplacer("G", g, "X", x).Replace("G acq X, G r vX, G w vX, G rel X, ")
}

// Patterns are all patterns: the figures of "Dynamic Race Prediction in Linear Time" (Kini, Mathur,
// Viswanathan, PLDI 2017), and some on which other predictors differ from WCP. dl2 is a deadlock,
// and no race; dl2g is neither, because of the gate lock g.
var Patterns = []Pattern{
	{"hb", true, true, true, "1 w x, 2 w x"},
	{"fig1a", false, false, false, "1 acq l, 1 r x, 1 w x, 1 rel l, 2 acq l, 2 r x, 2 w x, 2 rel l"},
	{"wcp1b", false, true, true, "1 w y, 1 acq l, 1 r x, 1 rel l, 2 acq l, 2 r x, 2 rel l, 2 r y"},
	{"fig2a", false, false, false, "1 w y, 1 acq l, 1 w x, 1 rel l, 2 acq l, 2 r x, 2 r y, 2 rel l"},
	{"wcp2b", false, true, true, "1 w y, 1 acq l, 1 w x, 1 rel l, 2 acq l, 2 r y, 2 r x, 2 rel l"},
	{"wcp3", false, true, true, "1 acq l, " + sync("1", "q") + "1 r z, 1 rel l, " + sync("2", "q") +
		"2 acq l, 2 acq m, 2 rel m, 2 rel l, 3 acq m, 3 rel m, 3 w z"},
	{"wcp4", false, true, true, "1 acq l, 1 acq m, 1 rel m, 1 r z, 1 rel l, 2 acq m, 2 acq n, " + sync("2", "q") +
		"2 rel n, 2 rel m, 3 acq n, 3 acq l, 3 rel l, " + sync("3", "q") + "3 w z, 3 rel n"},
	{"fig5", false, true, false, "1 acq l, 1 acq m, 1 rel m, 1 r z, 1 rel l, 2 acq m, 2 acq n, " + sync("2", "q") +
		"2 rel n, 3 acq n, 3 acq l, 3 rel l, " + sync("3", "q") + "3 w z, 3 rel n, " + sync("3", "p") + sync("2", "p") + "2 rel m"},
	{"syncp", false, false, true, "1 w x, 1 acq l, 1 w y, 1 rel l, 2 acq l, 2 w y, 2 rel l, 2 w x"},
	{"m2", false, true, true, "1 acq l, 1 w x, 1 rel l, 2 acq l, 2 w q, 2 rel l, 2 w x"},
	{"dl2", false, false, false, "1 acq l, 1 acq m, 1 rel m, 1 rel l, 2 acq m, 2 acq l, 2 rel l, 2 rel m"},
	{"dl2g", false, false, false, "1 acq g, 1 acq l, 1 acq m, 1 rel m, 1 rel l, 1 rel g, " +
		"2 acq g, 2 acq m, 2 acq l, 2 rel l, 2 rel m, 2 rel g"},
}

// Every asks for each pattern times times.
func Every(times int) []Plant {
	list := make([]Plant, len(Patterns))
	for i := range Patterns {
		list[i] = Plant{Patterns[i].Name, times}
	}
	return list
}

// Events are the pattern's: goroutine 1 is the first of it, and names become addresses from 8 on.
func (p *Pattern) Events() []trace.Event {
	kinds := map[string]trace.Kind{"r": trace.Read, "w": trace.Write, "acq": trace.Acquire, "rel": trace.Release}
	names := map[string]trace.Addr{}
	var evs []trace.Event
	for step := range strings.SplitSeq(strings.TrimSuffix(p.Text, ", "), ", ") {
		f := strings.Fields(step)
		g, err := strconv.Atoi(f[0])
		kind, ok := kinds[f[1]]
		if err != nil || !ok {
			panic("internal error: gen: bad pattern " + p.Name + ": " + step)
		}
		if kind.Spec().Access {
			f[2] = "variable " + f[2]
		}
		if names[f[2]] == 0 {
			names[f[2]] = 8 * trace.Addr(len(names)+1)
		}
		ev := trace.Event{Kind: kind, G: trace.G(g), Addr: names[f[2]]}
		if kind.Spec().Access {
			ev.Size = 8
		}
		evs = append(evs, ev)
	}
	return evs
}

// PlantSites is how many sites a planted pattern has, from PlantSite(n) on for the n-th.
const PlantSites = 64

// PlantSite is the site of the first event of the n-th planted pattern, from 0.
func PlantSite(n int) trace.Site { return trace.Site(1_000_000 + PlantSites*n) }

// planting is a pattern and where it goes.
type planting struct {
	evs []trace.Event
	gs  int // goroutines it needs
	at  int // events before it, at least
}

func plantings(asked []Plant, events int, rng *rand.Rand) []planting {
	var list []planting
	for _, a := range asked {
		i := slices.IndexFunc(Patterns, func(p Pattern) bool { return p.Name == a.Pattern })
		if i < 0 {
			panic("internal error: gen: no pattern is named " + a.Pattern)
		}
		p := planting{evs: Patterns[i].Events()}
		for _, ev := range p.evs {
			p.gs = max(p.gs, int(ev.G))
		}
		for range a.Times {
			p.at = rng.IntN(max(events*9/10, 1))
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b planting) int { return a.at - b.at })
	return list
}

// plant puts the next planting in place, once it is time and enough goroutines hold nothing.
func (x *mix) plant() bool {
	if x.planted == len(x.plants) || x.n < x.plants[x.planted].at {
		return false
	}
	p := x.plants[x.planted]
	var free []int
	for g := 1; g <= x.Goroutines; g++ {
		if len(x.held[g]) == 0 {
			free = append(free, g)
		}
	}
	if len(free) < p.gs {
		return false
	}
	x.rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for i, ev := range p.evs {
		ev.G = x.id(free[ev.G-1])
		ev.Addr += plantBase + 4096*trace.Addr(x.planted)
		ev.Site = PlantSite(x.planted) + trace.Site(i)
		x.put(ev)
	}
	x.planted++
	return true
}
