//go:build racepred_seam

package process

import "github.com/racepred/racepred/internal/trace"

// operations are those of atomic operations whose result nobody looks at.
var operations = [...]trace.Operation{trace.Addition, trace.AndBits, trace.OrBits}

// flagOf is what an atomic operation's events are flagged with, but for the release.
func (a *analysis) flagOf(kind uint64, word trace.Addr) trace.Flags {
	if kind < rpAtomicAdd || kind > rpAtomicOr {
		return 0
	}
	return a.unseen.Flag(operations[kind-rpAtomicAdd], word)
}

// modify spells out x op= y: a write, of which nobody saw the old value, or else a read and a write.
func (a *analysis) modify(op trace.Operation, ev *trace.Event) {
	a.guarded(ev, writes)
	if ev.Flags = a.unseen.Flag(op, ev.Addr); ev.Flags == 0 {
		a.emit(trace.Read, ev)
	}
	a.emit(trace.Write, ev)
}
