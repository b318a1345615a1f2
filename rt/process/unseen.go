//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// Additions to one word whose results nobody looks at may trade places, and so may bit operations of one kind, but
// not an addition and a bit operation, or And and Or.
//
//	(N1) Such an operation is unseen when all unseen ones of the word since the last one that is not are of its kind;
//	     otherwise it keeps its place, and the next one may be of any kind.
type unseen struct {
	bits map[trace.Addr]uint64 // the kind, of words where it is not addition
}

// flag is what an atomic operation's events are flagged with, but for the release.
func (u *unseen) flag(kind uint64, word trace.Addr) trace.Flags {
	switch kind {
	case rpAtomicAdd:
		if len(u.bits) == 0 || u.bits[word] == 0 {
			return trace.FlagUnseen
		}
		delete(u.bits, word)
	case rpAtomicAnd, rpAtomicOr:
		if u.bits[word] == kind {
			return trace.FlagUnseen
		}
		if u.bits == nil {
			u.bits = map[trace.Addr]uint64{}
		}
		u.bits[word] = kind
	}
	return 0
}
