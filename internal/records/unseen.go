package records

import "github.com/racepred/racepred/internal/trace"

// operations are the operations of rpAtomicAdd to rpAtomicOr, whose results are not used.
var operations = [...]trace.Operation{trace.Addition, trace.AndBits, trace.OrBits}

// flagOf is the flag of an atomic operation's events, except for the release.
func (c *Converter) flagOf(kind uint64, word trace.Addr) trace.Flags {
	if kind < rpAtomicAdd || kind > rpAtomicOr {
		return 0
	}
	return c.unseen.Flag(operations[kind-rpAtomicAdd], word)
}

// modify spells out x op= y: an unseen write, or else a read and a write.
func (c *Converter) modify(op trace.Operation, ev *trace.Event) {
	c.useTokens(ev, writes)
	if op == rpModifyMap {
		ev.Flags = trace.FlagAppend | trace.FlagUnseen
	} else if ev.Flags = c.unseen.Flag(op, ev.Addr); ev.Flags == 0 {
		c.emit(trace.Read, ev)
	}
	c.emit(trace.Write, ev)
}
