package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

// closure is a set of events: a prefix of each goroutine's events. With every event, the set has
// the events that come before it in every schedule. It has those of the goal's events that are to
// be executed, and none of those that are to be next. With each event come:
//
//	(P1) the goroutine's earlier events, and its Fork
//	(P2) with a Join, the goroutine's events and its Fork
//	(P3) with a Read, the last seen writers of its bytes, and the unseen writers since then
//	(P4) with a HardAcquire or HardSwap that is not unseen, all releases that its object held
//	(P5) with a hard section's acquire, all earlier releases of the lock; with an unseen one's,
//	     those of hard sections; with the first event that does more than to take such locks as are
//	     neither, those of the locks that its goroutine has taken since the last one that did. The
//	     goal's next events count
//	(P6) with a Release, its section's acquire
//	(P7) with an Observe or Change, the last seen Change and, unless it is an unseen Change, the
//	     unseen ones since then; with an Opaque, the last one in write mode of each lock around it
//	(P8) with a TryFail, the acquires of the sections it saw; if it saw none, all earlier releases
//	     of the lock
//	(P12) with an append to a list, the last seen stores of the list; if a part of it is one of the
//	     goal's events, also the appends since then. Unless certain is set, with a part that is a
//	     Read, the last seen Writes of its bytes that are no parts
//
// If locks is set, the set keeps the trace's order of sections:
//
//	(P9) with two sections of a lock that cannot overlap, the earlier one's release
//
// Unless certain is set, these come too. Not every schedule has them. A schedule that has them is
// right whatever accesses the trace lacks:
//
//	(P10) the events of first.go
//	(P11) if repeats were dropped, with a Read's writer in another goroutine, the rest of the
//	     writer's span: a dropped Write in it may be the last writer, or one more unseen Write
type closure struct {
	f *Finder
	*facts
	need     []int32 // by goroutine, how many of its events are in the set
	seen     []int32 // of those, how many were looked at
	touched  []int32 // goroutines with need > 0
	work     []int32 // goroutines with seen < need
	goal     []int32 // the events of the goal that are to be next
	why      string  // why there is no such set; "" if there is one so far
	locks    bool    // (P9)
	certain  bool    // only what every schedule has: without (P10), (P11) and the last part of (P12)
	executed []int32 // the events of the goal that are in the set, one after the other
	looked   int     // how many events were looked at
	trial    *trial  // the trial under way; nil: none

	reached map[reach]int      // how many of the list's first events are in the set, (P3), (P5), (P7)
	ended   map[ending]int     // for how many of the list's first events the rest of the span is in the set, (P11)
	chained map[int32]bool     // hard releases that are in the set with all that their object held before them, (P4)
	entered map[int32]*entered // by lock, (P9)
}

// entered are the sections of a lock that are in the set.
type entered struct {
	open []int32  // those whose release was not in the set when they came in
	last [2]int32 // the latest acquire, of ended sections too: in write mode, and in read mode; -1 none
}

func newClosure(f *Finder) *closure {
	return &closure{f: f, facts: f.facts, need: make([]int32, len(f.list)), seen: make([]int32, len(f.list))}
}

// hit is the value of why if one of the goal's next events would have to be in the set.
const hit = "one of its events has to come before another"

// begin makes the set anew, for a goal.
func (p *closure) begin(g goal.Goal, certain bool) {
	p.goal, p.executed = g.Next(), g.Executed()
	p.why, p.locks, p.certain = "", false, certain
	p.reached, p.ended = map[reach]int{}, map[ending]int{}
	p.chained, p.entered = map[int32]bool{}, map[int32]*entered{}
	for _, i := range p.goal {
		p.want(p.gnum[i], p.place[i])
		if p.place[i] == 0 {
			p.starts(i)
		}
		if h, part := p.header[i]; part {
			p.racingPart(h)
		}
	}
	for _, i := range p.executed {
		p.include(i)
	}
	for _, i := range p.goal {
		p.afterHard(i)
	}
}

// starts adds the Fork of a goroutine whose first event is i.
func (p *closure) starts(i int32) {
	if f := p.fork[p.gnum[i]]; f >= 0 { // (P1)
		p.include(f)
	} else if p.f.opts.Midway && p.f.opts.Uncertain != nil && p.why == "" && p.f.opts.Uncertain(i) == OpenSpan {
		p.why = OpenSpan
	}
}

func (p *closure) end() {
	for _, g := range p.touched {
		p.need[g], p.seen[g] = 0, 0
	}
	p.touched, p.work, p.trial = p.touched[:0], p.work[:0], nil
}

func (p *closure) has(i int32) bool { return p.need[p.gnum[i]] > p.place[i] }

func (p *closure) include(i int32) { p.want(p.gnum[i], p.place[i]+1) }

// want puts the first n events of goroutine g into the set.
func (p *closure) want(g, n int32) {
	if n <= p.need[g] {
		return
	}
	for _, i := range p.goal {
		if p.gnum[i] == g && n > p.place[i] {
			p.why = hit
			return
		}
	}
	if p.need[g] == 0 {
		p.touched = append(p.touched, g)
	}
	if p.trial != nil {
		p.trial.need = append(p.trial.need, was[int32]{g, int(p.need[g])})
	}
	p.need[g] = n
	p.work = append(p.work, g)
}

// close adds the events that have to come with those of the set. False means that there is no such
// set; p.why is the reason.
func (p *closure) close() bool {
	for len(p.work) > 0 && p.why == "" {
		g := p.work[len(p.work)-1]
		p.work = p.work[:len(p.work)-1]
		for p.seen[g] < p.need[g] && p.why == "" {
			i := p.list[g][p.seen[g]]
			p.seen[g]++
			p.looked++
			p.look(i, &p.evs[i])
		}
	}
	return p.why == ""
}

func (p *closure) look(i int32, e *trace.Event) {
	if p.place[i] == 0 {
		p.starts(i)
	}
	if k := p.f.firstBefore(i); k >= 0 && !p.certain { // (P10)
		p.include(k)
	}
	p.afterHard(i)
	if p.ofList(i) {
		p.appended(i, e)
		return
	}
	p.needs(i, e)
}

// uncertain sets why if event i may not be part of a schedule.
func (p *closure) uncertain(i int32) {
	if p.f.opts.Uncertain == nil || p.why != "" {
		return
	}
	p.why = p.f.opts.Uncertain(i)
}

// enterAll applies (P9) to the sections in the set.
func (p *closure) enterAll() {
	for _, g := range p.touched {
		for _, i := range p.list[g][:p.seen[g]] {
			if p.evs[i].Kind.Spec().Opens {
				p.enter(p.aux[i])
			}
		}
	}
}

// enter is (P9) for a section that comes into the set.
func (p *closure) enter(s int32) {
	c := &p.sections[s]
	l := p.entered[c.lock]
	if l == nil {
		l = &entered{open: slices.Clone(p.facts.locks[c.lock].before), last: [2]int32{-1, -1}}
		p.entered[c.lock] = l
	}
	keep := l.open[:0]
	for _, o := range l.open {
		if d := &p.sections[o]; d.acq < c.acq && !(d.shared && c.shared) && p.shut(o) {
			continue
		}
		keep = append(keep, o)
	}
	l.open = keep
	after := l.last[0] // the latest acquire of a section that cannot overlap s
	mode := 1
	if !c.shared {
		after, mode = max(after, l.last[1]), 0
	}
	l.last[mode] = max(l.last[mode], c.acq)
	if after > c.acq && p.shut(s) || c.rel >= 0 && p.has(c.rel) {
		return
	}
	l.open = append(l.open, s)
}

// shut puts the section's release into the set. It returns false if there is none.
func (p *closure) shut(s int32) bool {
	if r := p.sections[s].rel; r >= 0 {
		p.include(r)
		return true
	}
	p.why = hit // the section never ends, so no section that excludes it can come after it
	return false
}

// depends is the answer if there is no closed set with certain unset. That proves nothing, since
// not every schedule has such a set.
func (f *Finder) depends(why string) Answer {
	switch {
	case why != hit:
		return Answer{Reason: why}
	case len(f.firsts) > 0:
		return Answer{Reason: UnknownBefore}
	}
	return Answer{Reason: Repeats}
}
