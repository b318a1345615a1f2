//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// Additions to one word whose results nobody looks at may trade places, and so may bit operations of one kind, but
// not an addition and a bit operation, or And and Or. So it is with x op= y under a lock, which is recorded as one event.
//
//	(N1) Such an operation is unseen when all unseen ones of the word since the last one that is not are of its kind;
//	     otherwise it keeps its place, and the next one may be of any kind. Plain and atomic ones of a kind are alike.
type unseen struct {
	bits map[trace.Addr]uint8 // the kind, of words where it is not addition
}

// kindOf are the kinds of atomic operations.
var kindOf = [...]uint8{rpModifyAdd, rpModifyAnd, rpModifyOr}

// flag is what an atomic operation's events are flagged with, but for the release.
func (u *unseen) flag(kind uint64, word trace.Addr) trace.Flags {
	if kind < rpAtomicAdd || kind > rpAtomicOr {
		return 0
	}
	return u.operation(kindOf[kind-rpAtomicAdd], word)
}

// operation is (N1): FlagUnseen for an operation that commutes with the unseen ones before it.
func (u *unseen) operation(op uint8, word trace.Addr) trace.Flags {
	if op == rpModifyAdd {
		if len(u.bits) == 0 || u.bits[word] == 0 {
			return trace.FlagUnseen
		}
		delete(u.bits, word)
		return 0
	}
	if u.bits[word] == op {
		return trace.FlagUnseen
	}
	if u.bits == nil {
		u.bits = map[trace.Addr]uint8{}
	}
	u.bits[word] = op
	return 0
}

// modify spells out x op= y: a write that nobody saw the old value of, or a read and a write.
func (a *analysis) modify(op uint8, ev *trace.Event) {
	a.guarded(ev, false)
	if ev.Flags = a.unseen.operation(op, ev.Addr); ev.Flags == 0 {
		a.emit(trace.Read, ev)
	}
	a.emit(trace.Write, ev)
}
