package syncp

import (
	"github.com/racepred/racepred/internal/predict/mustorder"
	"github.com/racepred/racepred/internal/vclock"
)

// close reports whether the closure of what comes before first and before g's present access has
// neither of the two.
func (p *Predictor) close(first *mustorder.Found, g *mustorder.Goroutine) bool {
	p.closures++
	pool := p.order.Pool()
	closure := &p.closure
	closure.Set(pool, g.Known().Hold()) // (S1)
	closure.Raise(pool, g.Slot(), g.Now()-1)
	closure.Join(pool, first.Vec, vclock.NoOrders)
	closure.Raise(pool, first.Slot, first.Time-1)
	defer closure.Reset(pool)
	for changed := true; changed; {
		if closure.At(first.Slot) >= first.Time || closure.At(g.Slot()) >= g.Now() {
			p.refused++
			return false
		}
		changed = false
		for _, l := range p.sections.several {
			ok, more := p.lockOrder(l)
			if !ok {
				p.refused++
				return false
			}
			changed = changed || more
		}
	}
	return true
}

// lockOrder is (S2) for one lock. It is false when a section would have to end that never does.
func (p *Predictor) lockOrder(l *history) (ok, changed bool) {
	var last [2]uint64 // by mode: the place in the trace, plus one, of the last acquire in the set
	for _, lg := range l.by {
		if s := lg.last(p.closure.Vec()); s >= 0 {
			e := lg.at(s)
			last[lg.mode()] = max(last[lg.mode()], e.seq+1)
		}
	}
	for _, lg := range l.by {
		before := last[0]
		if lg.mode() == 0 {
			before = max(before, last[1])
		}
		if before == 0 {
			continue
		}
		for s := lg.last(p.closure.Vec()); s >= lg.gone; s = lg.at(s).loose {
			e := lg.at(s)
			if e.seq+1 >= before {
				continue
			}
			switch {
			case e.open:
				return false, true
			case e.end.Time > p.closure.At(e.end.Slot):
				p.rounds++
				p.closure.JoinStamp(p.order.Pool(), e.end, vclock.NoOrders)
				changed = true
			}
		}
	}
	return true, changed
}

// last is the number of the last section whose acquire is in the set; -1 when there is none.
func (l *log) last(closure *vclock.Vec) int {
	limit := closure.At(l.slot)
	lo, hi := l.gone, l.gone+len(l.list)
	for lo < hi {
		if m := (lo + hi) / 2; l.at(m).acq <= limit {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == l.gone {
		return -1
	}
	return lo - 1
}
