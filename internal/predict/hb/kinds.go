package hb

import "github.com/racepred/racepred/internal/trace"

// What an event of each kind orders: for the predictor, which has clocks, and for Before, which has
// none.

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	if p.cells.Due() && p.cells.Full(p.clocks()) {
		p.cells.MakeRoom()
	}
	switch ev.Kind {
	case trace.Read, trace.Write:
		if with := p.acc.Check(seq, ev, p.Actor(ev)); len(with) > 0 {
			p.Races(seq, ev, with)
		}
	case trace.Acquire:
		p.acquire(ev, true)
	case trace.RAcquire:
		p.acquire(ev, false)
	case trace.Release:
		p.release(ev)
	case trace.RRelease:
		p.rrelease(ev)
	case trace.Fork:
		p.fork(ev)
	case trace.Join:
		p.join(ev)
	case trace.End:
		p.end(ev.G)
	case trace.HardAcquire, trace.HardRelease, trace.HardMerge, trace.HardSwap:
		p.Hard(ev.Kind, ev.G, ev.Addr)
	case trace.Alloc:
		p.alloc(ev)
	}
}

// event takes in an event that comes after the first one.
func (f *follower) event(ev *trace.Event) {
	after := f.gs[ev.G]
	learn := func(from bool) {
		if from && !after {
			f.gs[ev.G] = true
		}
	}
	give := func(m map[trace.Addr]bool) {
		if after {
			m[ev.Addr] = true
		}
	}
	switch ev.Kind {
	case trace.Acquire: // (H2)
		learn(f.w[ev.Addr] || f.r[ev.Addr])
	case trace.RAcquire:
		learn(f.w[ev.Addr])
	case trace.Release:
		give(f.w)
	case trace.RRelease:
		give(f.r)
	case trace.Fork: // (H1)
		if after {
			f.gs[trace.G(ev.Other)] = true
		}
	case trace.Join:
		learn(f.gs[trace.G(ev.Other)])
	case trace.HardAcquire: // (H3)
		learn(f.objects[ev.Addr])
	case trace.HardMerge:
		give(f.objects)
	case trace.HardRelease, trace.HardSwap:
		held := f.objects[ev.Addr]
		delete(f.objects, ev.Addr)
		give(f.objects)
		learn(held && ev.Kind == trace.HardSwap)
	case trace.Observe, trace.Change:
		if f.changed != nil && ev.Addr > trace.Everything {
			learn(f.changed[ev.Addr] && !ev.Unseen())
			if ev.Kind == trace.Change && f.gs[ev.G] {
				f.changed[ev.Addr] = true
			}
		}
	case trace.Alloc:
		if len(f.objects)+len(f.w)+len(f.r)+len(f.changed) > 0 {
			for _, m := range []map[trace.Addr]bool{f.objects, f.w, f.r, f.changed} {
				f.forget(m, ev)
			}
		}
	}
}
