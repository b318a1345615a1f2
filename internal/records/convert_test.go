package records

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

const (
	word = 0x1000 // a variable
	lock = 0x2000 // a mutex, or a channel
)

// said is an event as the tables below say it: goroutine, kind and flags, and what it acts on
// relative to word or lock.
func said(ev *trace.Event) string {
	s := fmt.Sprintf("%d %s", ev.G, ev.Kind)
	if spec := ev.Kind.Spec(); spec.Opens && ev.Flags&trace.FlagHard != 0 {
		s += " hard"
	}
	if ev.Flags&trace.FlagUnseen != 0 {
		s += " unseen"
	}
	if spec := ev.Kind.Spec(); spec.Opens && ev.Flags&trace.FlagTried != 0 {
		s += " tried"
	} else if ev.Flags&trace.FlagAtomic != 0 {
		s += " atomic"
	}
	if ev.Kind.Spec().Access && ev.Flags&trace.FlagAppend != 0 {
		s += " append"
	}
	switch at := ev.Addr; {
	case at&trace.OpaqueTokenBit != 0:
		s += fmt.Sprintf(" reads of lock+%d", at&^trace.OpaqueTokenBit-lock)
	case at >= lock:
		s += fmt.Sprintf(" lock+%d", at-lock)
	case at >= word:
		s += fmt.Sprintf(" word+%d", at-word)
	case at != 0:
		s += fmt.Sprintf(" object %d", at)
	}
	if ev.Other != 0 {
		s += fmt.Sprintf(" -> %d", ev.Other)
	}
	return s
}

// step is a record: with a ticket if its kind is ticketed.
func (r *recorder) step(g *recorded, kind, addr uint64, size int) {
	if kind < rpTicketed {
		r.plain(g, kind, addr, size)
	} else {
		r.ticketed(g, kind, addr, size)
	}
}

// TestConvert shows which events come of records.
func TestConvert(t *testing.T) {
	type rec struct {
		g    int
		kind uint64
		addr uint64
		size int
	}
	for name, c := range map[string]struct {
		hard bool
		recs []rec
		want string
	}{
		"a section that reads and writes": {
			recs: []rec{{1, rpLock, lock, 0}, {1, rpRead, word, 8}, {1, rpWrite, word, 8}, {1, rpWrite, word + 8, 8}, {1, rpUnlock, lock, 0}},
			want: `1 acquire lock+0
				1 observe reads of lock+0
				1 read word+0
				1 change unseen lock+1
				1 write word+0
				1 write word+8
				1 release lock+0`,
		},
		"a hard section needs no pins (O6)": {
			hard: true,
			recs: []rec{{1, rpLock, lock, 0}, {1, rpRead, word, 8}, {1, rpOpaque, 0, 0}, {1, rpUnlock, lock, 0}},
			want: `1 acquire hard lock+0
				1 read word+0
				1 release lock+0`,
		},
		"what is left out (O1), (O5)": {
			recs: []rec{{1, rpLock, lock, 0}, {1, rpOpaque, 0, 0}, {1, rpOpaque, 0, 0}, {1, rpRead, word, 8}, {1, rpUnlock, lock, 0}, {1, rpOpaque, 0, 0}},
			want: `1 acquire lock+0
				1 change reads of lock+0
				1 change lock+1
				1 opaque
				1 read word+0
				1 release lock+0`,
		},
		"reads that are left out (O7)": {
			recs: []rec{{1, rpRLock, lock, 0}, {1, rpOpaque, rpOpaqueReads << 48, 0}, {1, rpRead, word, 8}, {1, rpRUnlock, lock, 0}},
			want: `1 racquire lock+0
				1 observe lock+1
				1 read word+0
				1 rrelease lock+0`,
		},
		"locks are read (O2)": {
			recs: []rec{{1, rpLock, lock, rpLockRead}, {1, rpRead, rpOfLock<<48 | lock, 1}, {1, rpRead, rpOfLock<<48 | word, 1}, {1, rpUnlock, lock, 0}},
			want: `1 read lock+0
				1 acquire lock+0
				1 read lock+0
				1 read word+0
				1 release lock+0`,
		},
		"those who add to a WaitGroup do not race with each other (seam/E18)": {
			recs: []rec{{1, rpWrite, rpOfLock<<48 | word, 1}, {2, rpRead, rpOfLock<<48 | word, 1}},
			want: `1 write atomic word+0
				2 read word+0`,
		},
		"a lock that is tried": {
			recs: []rec{{1, rpLock, lock, rpLockRead | rpLockTried}, {1, rpUnlock, lock, 0}},
			want: `1 read lock+0
				1 acquire tried lock+0
				1 release lock+0`,
		},
		"an addition that nobody sees": {
			recs: []rec{{1, rpModify, rpModifyAdd<<48 | word, 8}, {1, rpAtomicAdd, word + 64, 8}},
			want: `1 write unseen word+0
				1 change unseen word+64
				1 hardacquire unseen word+64
				1 write unseen atomic word+64
				1 hardmerge word+64`,
		},
		"atomic operations": {
			recs: []rec{{1, rpAtomicLoad, word, 8}, {1, rpAtomicStore, word, 8}, {1, rpAtomicRMW, word, 8}},
			want: `1 observe word+0
				1 hardacquire word+0
				1 read atomic word+0
				1 change word+0
				1 write atomic word+0
				1 hardrelease word+0
				1 change word+0
				1 hardacquire word+0
				1 read atomic word+0
				1 write atomic word+0
				1 hardmerge word+0`,
		},
		"a load of what is known": {
			recs: []rec{{1, rpReload, word, 8}},
			want: `1 observe word+0
				1 read atomic word+0`,
		},
		"a channel that is a lock (T2), (T3)": {
			recs: []rec{{1, rpToken, lock, rpTokenSent | rpTokenWaits | 16<<rpTokenBits}, {1, rpToken, lock, 16 << rpTokenBits}},
			want: `1 acquire lock+0
				1 change unseen lock+0
				1 hardswap unseen lock+16
				1 change unseen lock+0
				1 release lock+0
				1 hardswap unseen lock+16`,
		},
		"and one that is none (T1), (T4)": {
			recs: []rec{{1, rpToken, lock, rpTokenSent}, {2, rpToken, lock, 0}, {2, rpToken, lock, rpTokenSent}},
			want: `1 acquire tried lock+0
				1 change unseen lock+0
				1 hardswap unseen lock+0
				2 change lock+0
				2 release lock+0
				2 hardswap lock+0
				2 change lock+0
				2 hardswap lock+0`,
		},
		"a section that somebody else's deeds are told in (O4)": {
			recs: []rec{{1, rpLock, lock, 0}, {1, rpRelease, word, 0}, {2, rpAcquire, word, 0}, {2, rpRelease, word + 8, 0}, {1, rpAcquire, word + 8, 0}, {1, rpUnlock, lock, 0}},
			want: `1 acquire lock+0
				1 hardrelease word+0
				2 hardacquire word+0
				2 hardrelease word+8
				1 change reads of lock+0
				1 change lock+1
				1 opaque
				1 hardacquire word+8
				1 release lock+0`,
		},
		"the end of a goroutine": {
			recs: []rec{{2, rpEnd, 0, 0}, {1, rpAcquireAll, 0, 0}},
			want: `2 change unseen object 2
				2 hardmerge object 1
				2 end
				1 hardacquire object 1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var rec recorder
			var events []trace.Event
			conv := converting(&events)
			conv.soft = func(trace.Stack) bool { return !c.hard }
			m := Merger{Free: func(*Chunk) {}}
			rec.fork(rec.start())
			rec.publishAll()
			require.True(t, rec.merge(&m, conv, 0))
			events = nil
			for _, r := range c.recs {
				rec.step(rec.gs[r.g-1], r.kind, r.addr, r.size)
				rec.publishAll()
			}
			require.True(t, rec.merge(&m, conv, 0))
			var got []string
			for i := range events {
				got = append(got, said(&events[i]))
			}
			require.Equal(t, strings.ReplaceAll(c.want, "\t", ""), strings.Join(got, "\n"))
		})
	}
}

// TestEveryKindIsConverted finds a new kind that convert.go does not know.
func TestEveryKindIsConverted(t *testing.T) {
	for kind := uint64(rpRead); kind <= rpTestBegin; kind++ {
		if kind == rpTicketed { // no kind; nothing follows from it
			continue
		}
		var rec recorder
		var events []trace.Event
		c := converting(&events)
		c.check = nil // some kinds need others before them
		g := rec.start()
		rec.step(g, rpLock, lock, 0) // without a section an rpOpaque is nothing
		rec.step(g, kind, word, 1)
		rec.publishAll()
		rec.merge(&Merger{Free: func(*Chunk) {}}, c, 0)
		require.Greater(t, len(events), 1, "kind %d", kind)
	}
}
