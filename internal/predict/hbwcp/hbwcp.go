// Package hbwcp runs happens-before and WCP as one predictor: one memory of accesses has each access once for both, and one look at it answers
// both. What they give out is what they give out apart.
package hbwcp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
)

// Predictor is the two.
type Predictor struct {
	HB  *hb.Predictor
	wcp *wcp.Predictor
	acc *shadow.Accesses
}

// New makes the two with what each of them is to have. What they have for accesses is for those of both.
func New(forHB, forWCP predict.Config, sink func(predict.Candidate)) *Predictor {
	h := hb.New(forHB, sink)
	acc := h.Accesses()
	if forHB.Memory > 0 {
		acc.Limit = (hb.AccessMemory(forHB.Memory) + wcp.AccessMemory(forWCP.Memory)) / shadow.RecordBytes
	}
	return &Predictor{HB: h, wcp: wcp.NewIn(acc, forWCP, sink), acc: acc}
}

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	if ev.Kind == trace.Read || ev.Kind == trace.Write {
		if ev.Alone { // neither a race nor an order of sections depends on it
			return
		}
		if races := p.acc.Check2(seq, ev, p.HB.Actor(ev), p.wcp.Actor(ev)); races != nil {
			p.HB.Races(seq, ev, races[0])
			p.wcp.Races(seq, ev, races[1])
		}
		return
	}
	p.HB.Event(seq, ev)
	p.wcp.Event(seq, ev)
}

// Stats implements predict.Predictor.
func (p *Predictor) Stats() predict.Stats {
	s := p.HB.Stats()
	s.Add(p.wcp.Stats())
	return s
}

// Rules implements predict.Predictor.
func (p *Predictor) Rules() []predict.Rule { return append(p.HB.Rules(), p.wcp.Rules()...) }
