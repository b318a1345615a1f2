// Package hbwcp runs happens-before and WCP as one predictor: one memory of accesses has each
// access once for both, and one look at it answers both. They find an object once, too. What they
// give out is what they give out apart.
//
// Lock histories (package ipa) may be asked beside them: about pairs in conflict that both have in
// order, WCP by its rules for locks and not by hard edges alone.
package hbwcp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/ipa"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
)

// Predictor is the two.
type Predictor struct {
	HB    *hb.Predictor
	wcp   *wcp.Predictor
	acc   *shadow.Accesses
	ipa   *ipa.Online // nil for none
	again predict.Again
}

// New makes the two with what each of them is to have. What they have for accesses is for those of
// both.
func New(forHB, forWCP predict.Config, sink func(predict.Candidate)) *Predictor {
	h := hb.New(forHB, sink)
	acc := h.Accesses()
	if forHB.Memory > 0 {
		acc.Limit = (hb.AccessMemory(forHB.Memory) + wcp.AccessMemory(forWCP.Memory)) / shadow.RecordBytes
	}
	return &Predictor{HB: h, wcp: wcp.NewIn(acc, h.Objects(), forWCP, sink), acc: acc}
}

// With makes p ask lock histories as well, whose candidates go to sink.
func (p *Predictor) With(cfg predict.Config, sink func(predict.Candidate)) {
	p.ipa = ipa.NewOnline(cfg, sink)
	p.acc.Again = &p.again
}

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	switch ev.Kind {
	case trace.Observe, trace.Change: // they order nothing for any of them
		return
	case trace.Read, trace.Write:
		if ev.Alone { // neither a race nor an order of sections depends on it
			return
		}
		if races := p.acc.Check2(seq, ev, p.HB.Actor(ev), p.wcp.Actor(ev)); races != nil {
			p.HB.Races(seq, ev, races[0])
			p.wcp.Races(seq, ev, races[1])
			for _, r := range p.acc.Soft() {
				if p.wcp.ByLocks(ev.G, r.Slot, r.Time) {
					p.ipa.Pair(predict.Event{Seq: r.Seq, Ev: r.Ev}, predict.Event{Seq: seq, Ev: *ev}, p.wcp.Depth)
				}
			}
		}
		return
	}
	if p.ipa == nil {
		p.HB.Event(seq, ev)
		p.wcp.Event(seq, ev)
		return
	}
	depth, known := p.wcp.Depth(ev.G), p.wcp.Known()
	p.HB.Event(seq, ev)
	p.wcp.Event(seq, ev)
	if ev.Kind != trace.Alloc || p.wcp.Known() != known {
		p.ipa.Event(seq, ev, depth)
	}
}

// Stats implements predict.Predictor.
func (p *Predictor) Stats() predict.Stats {
	s := p.HB.Stats()
	s.Add(p.wcp.Stats())
	if p.ipa != nil {
		s.Add(p.ipa.Stats())
	}
	return s
}

// Rules implements predict.Predictor.
func (p *Predictor) Rules() []predict.Rule {
	list := append(p.HB.Rules(), p.wcp.Rules()...)
	if p.ipa != nil {
		list = append(list, p.ipa.Rules()...)
	}
	return list
}
