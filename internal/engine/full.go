package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// A recorder that would cost too much leaves out accesses of busy code for a while, from a Sparse event to the next Full one
// (LiteRace, Marino, Musuvathi, Narayanasamy, PLDI 2009: what races is mostly code that seldom ran).
//
//	(F1) Happens-before takes in all there is: synchronization is never left out, so what it finds did race.
//	(F2) What is predicted lies in a stretch without omissions. The other predictors rest from Sparse to Full and begin anew there:
//	     a path of their orders between two events of a stretch has no event before it.
//	(F3) A schedule begins at a Full at the earliest: all that is missing was executed by then, and stays before.

// DefaultSample is how many events a process may record in full before its recorder begins to leave out something.
const DefaultSample = 1 << 18

// fulls are the places from which on nothing is missing.
type fulls struct {
	at     []trace.Seq // behind each Full, newest last; 0, where every trace begins, is left out
	forgot bool        // older ones
	sparse bool        // since the last Sparse there was no Full
}

// maxFulls is how many are remembered; an event before them is a stretch of its own.
const maxFulls = 1 << 10

// since is where the stretch begins that seq, an event outside of a sparse part, is in.
func (f *fulls) since(seq trace.Seq) trace.Seq {
	for _, at := range slices.Backward(f.at) {
		if at <= seq {
			return at
		}
	}
	if f.forgot {
		return seq
	}
	return 0
}

// sampled takes in an event of a sparse part, both ends included.
func (e *Engine) sampled(seq trace.Seq, ev *trace.Event) {
	switch ev.Kind {
	case trace.Sparse:
		if e.fulls.sparse {
			return
		}
		e.fulls.sparse = true
		past := Stats{}
		e.count(&past)
		past.add(&e.past)
		e.past = past
		e.shb, e.wcp, e.others, e.usual = nil, nil, nil, false
		e.arena.reset()
	case trace.Full:
		e.fulls.sparse = false
		if len(e.fulls.at) == maxFulls {
			e.fulls.at = slices.Delete(e.fulls.at, 0, maxFulls/2)
			e.fulls.forgot = true
		}
		e.fulls.at = append(e.fulls.at, seq+1)
		e.predictors(seq + 1)
	}
}

// passing reports whether an event of a sparse part is nothing that the window has to know of: schedules begin later, and findings
// tell of accesses, sections and forks only.
func passing(k trace.Kind) bool {
	spec := k.Spec()
	return spec.Takes || spec.Gives || k == trace.Alloc
}
