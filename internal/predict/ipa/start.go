package ipa

import "github.com/racepred/racepred/internal/trace"

// start is the pair at which a search of strategy I begins: the last pair of places, up to the
// event at seq, that the run went through and that is on some way to each pair beyond that has a
// way. Such pairs are
//
//	(S1) places where neither goroutine holds a lock: each section is before or after the pair, so a
//	     way can do from there what it does beyond;
//	(S2) places from which neither can go on before the other one has come to its own, as at a
//	     rendezvous of a sender and a receiver;
//	(S3) the beginnings of both.
//
// It is false if the histories do not reach back that far.
func start(a, b *History, seq trace.Seq) (pair, trace.Seq, bool) {
	for {
		p, q := a.placeBefore(seq), b.placeBefore(seq)
		if p.free(a) && q.free(b) || meet(a, b, p, q) { // (S1), (S2)
			return pair{p, q}, seq, true
		}
		last := trace.Seq(0)
		switch {
		case p == a.from && q == b.from:
			return pair{}, 0, false
		case p == a.from:
			last = b.at(q - 1).Seq
		case q == b.from:
			last = a.at(p - 1).Seq
		default:
			last = max(a.at(p-1).Seq, b.at(q-1).Seq)
		}
		seq = last
	}
}

// free reports whether no lock is held at the place, as far as is known.
func (p Place) free(h *History) bool {
	if p == h.from {
		return p == 0 && h.midway == 0 // (S3)
	}
	return h.at(p-1).depth == 0
}

// meet is (S2).
func meet(a, b *History, p, q Place) bool {
	if p == a.End() || q == b.End() || p < a.from || q < b.from {
		return false
	}
	return b.knows(a.at(p).Known) >= q && a.knows(b.at(q).Known) >= p && q > b.from && p > a.from
}
