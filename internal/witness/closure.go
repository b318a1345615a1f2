package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

// closure is a set of events that has with every event those that come before it in every
// schedule. It is a prefix of each goroutine's events, has those of the goal's that are to be executed, and never one of those that are to be next:
//
//	(P1) the goroutine's earlier events, and its Fork
//	(P2) of a Join, the goroutine's events and Fork
//	(P3) of a Read, the last seen writers of its bytes, and the unseen writers since then
//	(P4) of a HardAcquire or HardSwap that is not unseen, all releases that its object held
//	(P5) of a hard section's acquire, all earlier releases of the lock; of any, those of hard sections
//	(P6) of a Release, its section's acquire
//	(P7) of an Observe or Change, the last seen Change, and unless it is an unseen Change, the unseen ones since
//	     then; of an Opaque, the last in write mode of each lock around it
//	(P8) of a TryFail, the acquires of the sections it saw; when it saw none, all earlier releases of the lock
//
// with locks set, which keeps the trace's order of sections:
//
//	(P9) of two sections of a lock that are both in it and cannot overlap, the earlier one's release
//
// and unless certain is set, what is not in every schedule, but in those that hold whatever is missing in the trace:
//
//	(P10) what first.go has
//	(P11) of a Read's writer in another goroutine, when repeats were dropped, the rest of its span: one of them may be the last writer, or
//	     one more unseen Write
//	(P12) of an append to a list the last seen stores of the list; of that of a part that is one of the goal's events, also the appends since
//	     then. And unless certain is set, of a part that is a Read the last seen Writes of its bytes that are no parts
type closure struct {
	f *Finder
	*facts
	need     []int32 // by goroutine, how many of its events are in the set
	seen     []int32 // of those, how many were looked at
	touched  []int32 // goroutines with need > 0
	work     []int32 // goroutines with seen < need
	goal     []int32 // the events of the goal that are to be next
	why      string  // the reason not to go on
	locks    bool    // (P9)
	certain  bool    // neither (P10) nor (P11)
	executed []int32 // the events of the goal that are in the set, one after the other
	looked   int     // how many events were looked at
	trial    *trial  // what to take back; nil when all that comes in stays

	reached map[reach]int      // how many of the list are in the set, (P3), (P7)
	ended   map[ending]int     // of how many of the list the spans are, (P11)
	chained map[int32]bool     // hard releases whose object's other releases are in the set
	prefix  map[int32]int32    // by lock, how many releases are in the set without a gap, (P5)
	entered map[int32]*entered // by lock, (P9)
}

// entered are the sections of a lock that are in the set.
type entered struct {
	open []int32  // those whose release is not, at the time they came in
	last [2]int32 // the latest acquire of all, ended ones included: of sections in write mode, and in read mode; -1 none
}

func newClosure(f *Finder) *closure {
	return &closure{f: f, facts: f.facts, need: make([]int32, len(f.list)), seen: make([]int32, len(f.list))}
}

// hit is the reason when the set would have to have one of the goal's events in it.
const hit = "one of its events has to come before another"

func (p *closure) begin(g goal.Goal) {
	p.goal, p.executed = g.Next(), g.Executed()
	p.why, p.locks, p.certain = "", false, false
	p.reached, p.ended = map[reach]int{}, map[ending]int{}
	p.chained, p.prefix, p.entered = map[int32]bool{}, map[int32]int32{}, map[int32]*entered{}
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
}

// starts is called for the first event of a goroutine.
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

// want has the first n events of goroutine g in the set.
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

// close adds all that has to come with the set's events. False means that this cannot be done; why says the reason.
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
	if p.ofList(i) {
		p.appended(i, e)
		return
	}
	p.needs(i, e)
}

// uncertain has the set not be had when event i may not be part of a schedule.
func (p *closure) uncertain(i int32) {
	if p.f.opts.Uncertain == nil || p.why != "" {
		return
	}
	p.why = p.f.opts.Uncertain(i)
}

// enterAll applies (P9) to what is in the set already.
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
	after := l.last[0] // of those that cannot overlap
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

// shut includes the section's release.
func (p *closure) shut(s int32) bool {
	if r := p.sections[s].rel; r >= 0 {
		p.include(r)
		return true
	}
	p.why = hit // it never ends, so nothing else can come after it
	return false
}

// depends is the answer when the set cannot be had, but that is no contradiction.
func (f *Finder) depends(why string) Answer {
	switch {
	case why != hit:
		return Answer{Reason: why}
	case len(f.firsts) > 0:
		return Answer{Reason: UnknownBefore}
	}
	return Answer{Reason: Repeats}
}
