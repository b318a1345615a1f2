package ipa

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/trace"
)

// Online is the predictor while the program runs. Other predictors remember accesses and ask it
// about pairs. It keeps the latest events in a log, and makes time stamps and histories of a part
// of the log for a question:
//
//	(O1) the part begins a few events before the first access, or farther away if strategy I finds
//	     no start in it;
//	(O2) a later question uses the same part if that does not have to take in more events than a
//	     part of its own;
//	(O3) the cost of a question is the number of events that it takes in and of calls that it makes.
//	     Each event of the run adds a little to the budget for questions, which is not empty at the
//	     beginning. A pair for which the budget is too small is put off until it is asked about
//	     again, and so is one whose first access is not in the log.
type Online struct {
	sink    func(predict.Candidate)
	log     log
	part    *part
	sum     Counters
	answers [3]uint64
	ordered uint64 // pairs that the hard order has in order
	putOff  uint64 // (O3)
	spent   uint64
	slacks  [2]uint64 // (O1)
	first   uint64    // (O3)
}

// part is the histories of a part of the run.
type part struct {
	order  *mustorder.Order
	hist   *Follow
	lo, hi uint64 // of the log
}

const (
	slack      = 64   // (O1)
	farSlack   = 2048 // (O1), when there is no start
	earnEvents = 128  // (O3): what so many events of the run earn is one of the log
	earnFirst  = 1 << 13
	askCost    = 64 // of a question, beside what it takes in
)

// NewOnline returns the predictor beside others.
func NewOnline(cfg predict.Config, sink func(predict.Candidate)) *Online {
	return &Online{sink: sink, log: log{arena: cfg.Arena}, slacks: [2]uint64{slack, farSlack}, first: earnFirst}
}

// Event takes in an event that is no access; its goroutine is in so many sections before it. An
// Alloc is one of memory with a lock or an object.
func (p *Online) Event(seq trace.Seq, ev *trace.Event, depth int) {
	switch ev.Kind {
	case trace.Begin, trace.TestBegin, trace.Observe, trace.Change, trace.Opaque: // they say nothing of what keeps its order whatever is read
	default:
		p.log.add(seq, ev, depth)
	}
}

// Pair takes in two accesses in conflict that perhaps only locks keep apart. The second one is the
// present event. depth says in how many sections a goroutine is at present.
func (p *Online) Pair(first, second predict.Event, depth func(trace.G) int) {
	a, b := Access{first.Ev.G, first.Seq}, Access{second.Ev.G, second.Seq}
	at := p.log.from(a.Seq)
	if at == p.log.first() && at > 0 {
		p.putOff++
		return
	}
	answer := Unknown
	for _, back := range p.slacks {
		lo := at - min(back, at-p.log.first())
		if !p.have(lo, second.Seq) {
			p.putOff++
			return
		}
		h := p.part.hist
		h.Midway(a.G, depth(a.G))
		h.Midway(b.G, depth(b.G))
		if h.Ordered(a, b) {
			p.ordered++
			return
		}
		before := h.Calls
		answer = h.Reach(StrategyI, a, b)
		p.spent += h.Calls - before + askCost
		if answer != Unknown || lo == p.log.first() {
			break
		}
	}
	p.answers[answer]++
	if answer == Reachable {
		c := predict.RaceOf(Name, first, second, predict.Hidden)
		c.Certain = p.part.hist.Reach(StrategyII, a, b) == Reachable
		p.sink(c)
	}
}

// have makes p.part begin at lo or before and reach up to the present event. It is false if that
// costs too much.
func (p *Online) have(lo uint64, now trace.Seq) bool {
	from := lo
	if q := p.part; q != nil && q.lo <= lo && q.hi >= p.log.first() && p.log.n-q.hi <= p.log.n-lo && q.hi-q.lo <= 4*(p.log.n-lo)+slack {
		from = q.hi // (O2)
	} else {
		p.drop()
	}
	cost := p.log.n - from
	if p.spent+cost > p.first+uint64(now)/earnEvents {
		return false
	}
	p.spent += cost
	if p.part == nil {
		order := mustorder.New(mustorder.Config{Loose: true})
		p.part = &part{order, NewFollow(Limits{}, order), lo, lo}
	}
	q := p.part
	for ; q.hi < p.log.n; q.hi++ {
		e := p.log.of(q.hi)
		ev := e.event()
		if ev.Kind == trace.Join { // what it did may be accesses alone
			q.hist.Midway(trace.G(ev.Other), 0)
		}
		q.hist.Midway(ev.G, int(e.depth))
		g := q.order.Of(ev.G)
		q.hist.Event(g, e.seq, &ev)
	}
	return true
}

// drop removes the part.
func (p *Online) drop() {
	if p.part == nil {
		return
	}
	p.sum.add(&p.part.hist.Counters)
	p.part = nil
}

// Stats is as in predict.Predictor.
func (p *Online) Stats() predict.Stats {
	s := predict.Stats{Memory: len(p.log.at) * entryBytes}
	if p.log.arena == nil {
		s.Heap = s.Memory
	}
	if q := p.part; q != nil {
		n := q.hist.Bytes() + q.order.Stats().Memory
		s.Memory += n
		s.Heap += n
	}
	return s
}

// Rules is as in predict.Predictor.
func (p *Online) Rules() []predict.Rule {
	c := p.sum
	if p.part != nil {
		c.add(&p.part.hist.Counters)
	}
	return append(rules(&c, &p.answers), predict.Rule{By: Name, Name: "hard order", Fired: p.ordered}, predict.Rule{By: Name, Name: "put off", Fired: p.putOff})
}

func (c *Counters) add(d *Counters) {
	c.Queries += d.Queries
	c.Calls += d.Calls
	c.Potential += d.Potential
	c.Branches += d.Branches
}
