// Package deadlock turns a trace into candidates for deadlocks: cycles of acquisitions of different
// goroutines, in which each goroutine holds the lock that the acquisition before it in the cycle
// wants. It is the abstract lock graph of Tunc, Mathur, Pavlogiannis and Viswanathan (PLDI 2023),
// section 3, kept while the run goes on.
//
//	(K1) an acquisition in one section or more is a node: goroutine, lock, mode, and the sections it
//	     is in;
//	(K2) a node waits for another goroutine's that is in a section of the lock that it wants, unless
//	     both read;
//	(K3) a cycle of nodes is a candidate if no two of them have a lock in common that they hold,
//	     unless both read (a gate);
//	(K4) a node that wants to read what its goroutine reads already is a candidate together with
//	     another goroutine's acquisition to write: that one waits for the first read, and the second
//	     read for that one (documentation of sync.RWMutex);
//	(K5) a node waits for no later section of the lock that it wants if that section is hard, or if
//	     it is unseen and the node's own is hard: the two keep their order, so none is in the later
//	     one while the node has not been through its own (check/C6);
//	(K6) an Alloc of a lock's memory makes it another lock;
//	(K7) a cycle is given out with the latest acquisition of each node, and with the first one of
//	     each: what a goroutine does between may keep the others from there.
//
// The latest maxNodes nodes are kept, with the latest maxHeld sections of each. Acquisitions with
// trace.FlagTried wait for nothing, so they are no nodes; the sections that they begin are like
// others. Whether a schedule brings all goroutines of a cycle to their acquisitions is not asked
// here. An acquisition that the recorder gave no stack since its position is busy is no node
// either: those that came before had one, and they are in the same cycles.
package deadlock

import (
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// Name is what Candidate.By says.
const Name = "deadlock"

// Predictor finds cycles.
type Predictor struct {
	sink  func(predict.Candidate)
	held  predict.Sections[section, *section]
	graph *graph
	count uint64 // cycles that were given out
}

// New returns a predictor that gives cycles to sink, each as often as predict.Instance says of its
// newest node.
func New(cfg predict.Config, sink func(predict.Candidate)) *Predictor {
	p := &Predictor{sink: sink, graph: newGraph(cfg.Memory, cfg.Arena)}
	p.held.Arena(&p.graph.tables)
	return p
}

// section is a critical section that a goroutine is in.
type section struct {
	lock   lock
	addr   trace.Addr
	shared bool
	flags  trace.Flags
	acq    trace.Seq // where it begins
}

// excludes reports whether the two cannot overlap.
func (s section) excludes(o section) bool { return s.lock == o.lock && !(s.shared && o.shared) }

// same reports whether it is a section of that lock in that mode.
func (s section) same(l lock, shared bool) bool { return s.lock == l && s.shared == shared }

// Like implements predict.Sections.
func (s *section) Like(lock trace.Addr, shared bool) bool {
	return s.addr == lock && s.shared == shared
}

// Event implements predict.Predictor.
func (p *Predictor) Event(seq trace.Seq, ev *trace.Event) {
	spec := ev.Kind.Spec()
	switch {
	case spec.Opens:
		p.acquire(seq, ev, spec.Shared)
	case spec.Closes:
		p.held.Leave(ev.G, ev.Addr, spec.Shared)
	case ev.Kind == trace.End:
		p.held.End(ev.G)
	case ev.Kind == trace.Alloc:
		p.graph.reused(ev.Addr, ev.Size)
	}
}

func (p *Predictor) acquire(seq trace.Seq, ev *trace.Event, shared bool) {
	l := p.graph.locks.of(ev.Addr)
	if shared {
		p.graph.reads(l)
	}
	busy := ev.Flags&trace.FlagHard != 0 && ev.Stack == 0 && ev.Site == 0
	if ev.Flags&trace.FlagTried == 0 && !busy {
		at := predict.Event{Seq: seq, Ev: *ev}
		if !shared {
			p.graph.writes(l, at, p.found)
		}
		if in := p.held.Of(ev.G); len(in) > 0 {
			in = in[max(0, len(in)-maxHeld):]
			p.graph.node(l, at, shared, in, p.found)
		}
	}
	p.held.Enter(ev.G, section{lock: l, addr: ev.Addr, shared: shared, flags: ev.Flags, acq: seq})
	if p.graph.locks.many() {
		var held []lock
		p.held.Each(func(_ trace.G, s *section) { held = append(held, s.lock) })
		p.graph.renew(held)
	}
}

// found gives out a cycle.
func (p *Predictor) found(events []predict.Event) {
	p.count++
	p.sink(predict.Candidate{Goal: goal.Deadlock, Events: events, By: Name, Standing: predict.Hidden})
}

// Stats implements predict.Predictor.
func (p *Predictor) Stats() predict.Stats {
	s := predict.Stats{Memory: p.held.Bytes() + p.graph.bytes()}
	if p.graph.tables.Arena == nil {
		s.Heap = s.Memory
	}
	return s
}

// Rules implements predict.Predictor.
func (p *Predictor) Rules() []predict.Rule {
	return []predict.Rule{{By: Name, Name: "cycles", Fired: p.count}, {By: Name, Name: "nodes that made room", Fired: p.graph.gone}}
}
