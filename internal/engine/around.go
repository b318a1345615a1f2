package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Placed is an event of the run and its place.
type Placed struct {
	Seq trace.Seq
	Ev  trace.Event
}

// Edge says that in the run To waited for From, an event of another goroutine.
type Edge struct{ From, To trace.Seq }

// Around is what the run did around the events of a finding, for a reader to compare with the
// schedule:
//
//	(A1) of each of their goroutines, the last events before the finding's and the first after it,
//	     and the Fork of the goroutine;
//	(A2) the last events of the schedule;
//	(A3) if the run orders one of the finding's events before the next one of another goroutine,
//	     edges that do so, with their events.
//
// Each is searched among a bounded number of events, and left out if it is not found.
type Around struct {
	Events []Placed // in the run's order
	Kept   []Edge   // (A3)
}

const (
	aroundReach  = 64 << 10 // events that are searched for (A1) and (A3)
	aroundBefore = 64       // events of a goroutine before the finding's, (A1)
	aroundAfter  = 32       // events of a goroutine after it, (A1)
	aroundShown  = 256      // events of the schedule, (A2)
)

// span is the part of the run from lo up to, but without, hi.
type span struct {
	at     func(trace.Seq) trace.Event
	lo, hi trace.Seq
}

func (w *window) span() span {
	return span{func(s trace.Seq) trace.Event { ev, _ := w.at(s); return ev }, w.first, w.next()}
}

// around is what the run did around the participants, besides the events of a schedule.
func (s span) around(list []Participant, schedule []Placed) Around {
	own := ownEvents(list)
	s.lo = max(s.lo, own[len(own)-1].Seq-min(own[len(own)-1].Seq, aroundReach))
	taken := map[trace.Seq]bool{}
	for _, p := range own {
		taken[p.Seq] = p.Seq < s.hi
	}
	s.near(own, taken) // (A1)
	for _, p := range schedule[max(0, len(schedule)-aroundShown):] {
		taken[p.Seq] = true // (A2)
	}
	var kept []Edge
	for i := 1; i < len(own); i++ { // (A3)
		if own[i-1].Ev.G != own[i].Ev.G {
			kept = append(kept, s.chain(own[i-1], own[i])...)
		}
	}
	for _, e := range kept {
		taken[e.From], taken[e.To] = true, true
	}
	a := Around{Kept: kept}
	for seq, is := range taken {
		if is && seq >= s.lo && seq < s.hi {
			a.Events = append(a.Events, Placed{seq, s.at(seq)})
		}
	}
	slices.SortFunc(a.Events, func(a, b Placed) int { return int(int64(a.Seq - b.Seq)) })
	return a
}

// ownEvents are the participants' events in the run's order.
func ownEvents(list []Participant) []Placed {
	own := make([]Placed, len(list))
	for i := range list {
		own[i] = Placed{list[i].Seq, list[i].Ev}
	}
	slices.SortFunc(own, func(a, b Placed) int { return int(int64(a.Seq - b.Seq)) })
	return own
}

// near takes the events of (A1), going back from the last event.
func (s span) near(own []Placed, taken map[trace.Seq]bool) {
	type state struct {
		seq    trace.Seq   // of its own event, the first if it has several
		before int         // how many events before it were taken
		after  []trace.Seq // the others, latest first
	}
	gs := map[trace.G]*state{}
	open := 0
	for _, p := range own {
		if gs[p.Ev.G] == nil {
			gs[p.Ev.G] = &state{seq: p.Seq}
			open++
		}
	}
	for seq := min(s.hi, own[len(own)-1].Seq+aroundAfter*8); seq > s.lo && open > 0; {
		seq--
		ev := s.at(seq)
		if g := gs[trace.G(ev.Other)]; ev.Kind == trace.Fork && g != nil {
			taken[seq] = true
			if g.before < aroundBefore { // it has no others
				g.before = aroundBefore
				open--
			}
		}
		g := gs[ev.G]
		switch {
		case g == nil || g.before == aroundBefore || ev.Kind.Spec().Note:
		case seq > g.seq:
			g.after = append(g.after, seq)
		case seq < g.seq:
			taken[seq] = true
			if g.before++; g.before == aroundBefore {
				open--
			}
		}
	}
	for _, g := range gs {
		for _, seq := range g.after[max(0, len(g.after)-aroundAfter):] {
			taken[seq] = true
		}
	}
}
