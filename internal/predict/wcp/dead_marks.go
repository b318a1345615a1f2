package wcp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
)

// A lock that was forgotten, because its memory is used anew or for want of room (W15), leaves its
// marks behind: they are found by words, and a word may live on. Nothing is learned from them any
// more, since no later lock has the same id. But they keep the vectors of their sections, which in
// a program with short-lived locks and many goroutines filled all the room that there is for
// clocks. So they are dropped when many locks were forgotten, and before room is made.

// manyForgotten is how many forgotten locks are enough for a look at all marks.
const manyForgotten = 1 << 15

// dead are the forgotten locks that may have marks.
type dead struct {
	ids predict.AddrSet // as asAddr has them
	n   int             // how many
}

// leave notes that a lock is forgotten, whose marks are still there.
func (m *marks) leave(lock uint32) {
	m.dead.ids.Add(asAddr(lock))
	if m.dead.n++; m.dead.n >= manyForgotten {
		m.dropDead()
	}
}

// dropDead drops all marks of forgotten locks.
func (m *marks) dropDead() {
	if m.dead.n == 0 {
		return
	}
	m.locks.Sweep(func(_ shadow.Word, lock *uint32, _ shadow.Mask) bool { return !m.dead.ids.Has(asAddr(*lock)) })
	m.dead.ids.Reset()
	m.dead.n = 0
}

// asAddr is a lock's id as a member of a set of addresses, which has a bit for each word.
func asAddr(id uint32) trace.Addr { return trace.Addr(id) << 3 }
