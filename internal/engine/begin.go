package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// A schedule need not begin where the run began. It may execute the run's own events up to some
// place, its beginning, just as the run did, and reorder only the rest (UCG, Kahlon and Wang, CAV
// 2010, cuts at the last causality barrier for the same reason). Any place is correct. A place near
// the goal's events is better: there are fewer events, fewer reads to explain, and earlier races do
// not matter. If nothing is found, a farther beginning may help. The conditions for a beginning at
// p:
//
//	(G1) A read at p or later is uncertain if its bytes are in a race whose later access is at p or
//	     later. A schedule has no such read.
//	(G2) If a goroutine was in the middle of a span at p, and had read bytes of a race in the span,
//	     then it may have come that far because of a write of another goroutine after p. A schedule
//	     has none of its events after p; no other goroutine knows what it did in the span before p.
//	(G3) In the middle of a span, accesses at p or later that repeat earlier ones are missing:
//	     witness/P10.
//	(G4) While the run goes on, races of accesses in open spans are not known yet. Reads in these
//	     spans are uncertain, too.
//
// A race across p needs no other condition. If a read before p races with a write after p, and the
// reader synchronized in between, the read came first: tickets order synchronization, and an event
// without a ticket comes after all tickets that were handed out before it was recorded.

// reaches are the distances, in events, from a beginning to the goal's first event; Config.Reach is
// the last.
var reaches = [...]trace.Seq{0, 64, 512, 4 << 10, 32 << 10}

const (
	maxTests   = 256      // how many beginnings of tests are remembered
	maxToSpan  = 1 << 10  // how far before an access the beginning of its span is looked for, in events
	maxToSpans = 64 << 10 // how far beginnings and ends of spans are looked for by (G2) and (G4)
)

// testBegins remembers where a test began.
func (e *Engine) testBegins(at trace.Seq) {
	if len(e.tests) == maxTests {
		e.tests = slices.Delete(e.tests, 0, maxTests/2)
	}
	e.tests = append(e.tests, at)
}

// beginnings are where schedules for the candidate may begin, the nearest first: at the distances
// of reaches before the span of its first event, and where its test began.
func (e *Engine) beginnings(c *predict.Candidate) (from []trace.Seq) {
	first := c.First().Seq
	far := e.window.first
	if first < far {
		return nil
	}
	near := e.spanBegin(c.First().Ev.G, first, far)
	add := func(reach trace.Seq) {
		from = append(from, far+max(near-far, reach)-reach)
	}
	for _, reach := range reaches {
		add(min(reach, trace.Seq(e.cfg.Reach)))
	}
	add(trace.Seq(e.cfg.Reach))
	if n, _ := slices.BinarySearch(e.tests, near+1); n > 0 && e.tests[n-1] >= from[len(from)-1] {
		from = append(from, e.tests[n-1])
	}
	slices.SortFunc(from, func(a, b trace.Seq) int { return int(int64(b - a)) })
	return slices.Compact(from)
}

// spanBegin is where the span of an access at seq begins, or seq if that is before far or too far
// back.
func (e *Engine) spanBegin(g trace.G, seq, far trace.Seq) trace.Seq {
	for at := seq; at > far && seq-at < maxToSpan; {
		at--
		if ev, _ := e.window.at(at); ev.G == g && ev.Kind.Spec().EndsSpan || ev.Kind == trace.Fork && trace.G(ev.Other) == g {
			return at
		}
	}
	return seq
}

// doubts are the events of a part of the run that no schedule may have.
type doubts struct {
	e    *Engine
	evs  []trace.Event
	from trace.Seq
	// still has the goroutines of which schedules have no event: those of (G2), and while the run goes on those of (G4).
	still map[trace.G]bool
	// ended is, by goroutine, the place of the event that ended its last span that is over, (G4). It is nil unless the run goes on.
	ended map[trace.G]int32
}

// doubts finds the doubts of the part of the run with these events, which begins at from.
func (e *Engine) doubts(from trace.Seq, evs []trace.Event, goesOn bool) *doubts {
	d := &doubts{e: e, evs: evs, from: from}
	if e.cfg.Complete { // then the trace's order of accesses is that of the run
		return d
	}
	if goesOn {
		d.open()
	}
	if from == 0 {
		return d
	}
	var ran []trace.G
	forked := map[trace.G]bool{}
	look := func(g trace.G) {
		if !forked[g] && e.hb.MayHaveRaced(g, from) {
			ran = append(ran, g)
		}
		forked[g] = true
	}
	for i := range evs {
		ev := &evs[i]
		look(ev.G)
		switch ev.Kind {
		case trace.Fork:
			forked[trace.G(ev.Other)] = true
		case trace.Join:
			look(trace.G(ev.Other))
		}
	}
	d.reads(ran)
	return d
}

// reads is (G2) for goroutines that ran before and may have been in the middle of a span.
func (d *doubts) reads(ran []trace.G) {
	if len(ran) == 0 {
		return
	}
	if d.still == nil {
		d.still = map[trace.G]bool{}
	}
	left := map[trace.G]bool{}
	for _, g := range ran {
		left[g] = true
	}
	var from []trace.G
	w := &d.e.window
	for at := d.from; len(left) > 0 && at > w.first && d.from-at < maxToSpans; {
		at--
		ev, _ := w.at(at)
		switch {
		case !left[ev.G]:
		case ev.Kind.Spec().EndsSpan:
			delete(left, ev.G)
		case ev.Kind != trace.Read:
		case d.e.hb.Racy(ev.Addr, ev.Size, d.from) != hb.Certain:
			delete(left, ev.G)
			d.still[ev.G] = true
		case d.e.hb.Racy(ev.Addr, ev.Size, at) != hb.Certain:
			from = append(from, ev.G) // the writer may be a goroutine of still
		}
		if ev.Kind == trace.Fork {
			delete(left, trace.G(ev.Other))
		}
	}
	for g := range left {
		d.still[g] = true
	}
	for _, g := range from {
		if len(d.still) > 0 {
			d.still[g] = true
		}
	}
}

// open is (G4).
func (d *doubts) open() {
	d.ended, d.still = map[trace.G]int32{}, map[trace.G]bool{}
	left := map[trace.G]bool{} // goroutines whose last span here has not ended
	began := map[trace.G]bool{}
	for i := range d.evs {
		ev := &d.evs[i]
		switch {
		case ev.Kind.Spec().EndsSpan:
			d.ended[ev.G] = int32(i)
			delete(left, ev.G)
		default:
			left[ev.G] = true
		}
		if ev.Kind == trace.Fork {
			began[trace.G(ev.Other)] = true
		}
	}
	w := &d.e.window
	for at, n := d.from+trace.Seq(len(d.evs)), 0; len(left) > 0 && at < w.next() && n < maxToSpans; at, n = at+1, n+1 {
		if ev, _ := w.at(at); left[ev.G] && ev.Kind.Spec().EndsSpan {
			delete(left, ev.G)
			d.ended[ev.G] = int32(len(d.evs))
		}
	}
	for g := range left {
		if _, some := d.ended[g]; !some && !began[g] {
			d.still[g] = true
		}
	}
}

// of is witness.Options.Uncertain.
func (d *doubts) of(i int32) string {
	ev := &d.evs[i]
	if d.stands(ev) {
		return witness.OpenSpan
	}
	if ev.Kind != trace.Read && !ev.Append() || d.e.cfg.Complete {
		return ""
	}
	switch d.e.hb.Racy(ev.Addr, ev.Size, d.from) {
	case hb.Raced:
		return witness.RacyRead
	case hb.Forgotten:
		return witness.LostAccesses
	}
	if d.ended != nil && i > d.ended[ev.G] {
		return witness.OpenSpan
	}
	return ""
}

// stands reports whether the event is of a goroutine that schedules leave out, or joins one.
func (d *doubts) stands(ev *trace.Event) bool {
	return d.still[ev.G] || ev.Kind == trace.Join && d.still[trace.G(ev.Other)]
}

// list adds to s all events that a Finder must be told are uncertain.
func (d *doubts) list(s *trace.Deferred) {
	seen := map[trace.G]bool{}
	for i := range d.evs {
		switch ev := &d.evs[i]; {
		case d.stands(ev):
			if !seen[ev.G] || ev.Kind == trace.Join {
				s.Still = append(s.Still, int32(i))
			}
		case (ev.Kind == trace.Read || ev.Append()) && d.of(int32(i)) != "":
			s.Racy = append(s.Racy, int32(i))
		}
		seen[d.evs[i].G] = true
	}
}
