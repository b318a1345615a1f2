package present

import (
	"strings"

	"github.com/racepred/racepred/internal/trace"
)

// opNames are what events do by themselves.
var opNames = map[trace.Kind]string{
	trace.Read: "read", trace.Write: "write",
	trace.Acquire: "lock", trace.Release: "unlock",
	trace.RAcquire: "rlock", trace.RRelease: "runlock",
	trace.TryFail: "try lock", trace.Fork: "go", trace.Join: "wait",
}

// opName is what the event does, as in a schedule; accesses also say whether they are atomic.
func opName(ev *trace.Event) string {
	op := opNames[ev.Kind]
	if ev.Flags&trace.FlagAtomic != 0 && ev.Kind.Spec().Access {
		op = "atomic " + op
	}
	return op
}

// name says what the operation does, and to what.
func (o *operation) name(n *Namer) {
	ev := &o.event
	spec := ev.Kind.Spec()
	o.File, o.Line, o.Column = o.file, o.line, o.column
	o.Op, o.Name = opName(ev), o.expr
	switch {
	case ev.Kind == trace.Fork, ev.Stack == 0 && o.Op != "" && !spec.Pin:
	case o.mark&markMemory != 0:
		if ev.Append() {
			o.Op = "append"
		}
		o.Name = elements(o.Name)
	case o.mark&markMap != 0:
		o.Op = "map write"
		o.Name, o.Column = n.Symbols.At(o.File, o.Line, "map", "write")
	case spec.Access && o.mark&markSync == 0 && o.Name == "" && o.mark&markChannel != 0 && n.channelOnly(o.File, o.Line):
		o.channel(n)
	case spec.Access && o.mark&markSync == 0:
		o.Name = elements(o.Name)
		if o.Name == "" && o.File != "" {
			o.Name, o.Column = n.Symbols.At(o.File, o.Line, "map", o.Op)
			if ev.MapChange() || n.ofMap(o.File, o.Line, o.Column, o.Name) {
				o.Op = "map " + o.Op
			}
		}
	case o.lock && o.Op != "":
		if spec.Opens {
			l := n.lock(ev)
			o.Name = l.Name
		}
	case spec.Access && strings.HasPrefix(o.call, "sync/atomic."):
	case o.call != "":
		o.Op, o.Name = "call", short(o.call)
	case o.user && n.mapOnly(o.File, o.Line): // the order of a map's changes
		o.Op = "map write"
		o.Name, o.Column = n.Symbols.At(o.File, o.Line, "map", "write")
	case o.user && n.leftOut(&o.event, o.File, o.Line):
		o.Op, o.Name = "access", ""
	case o.user:
		o.channel(n)
	default:
		o.Op = "synchronize"
	}
}

// leftOut reports whether the event keeps the place of accesses that were left out of a section.
// Each lock has two tokens for that. The first has trace.OpaqueTokenBit. The second is the lock's
// second byte. In a line that does something to a channel, an event there counts as the channel's.
func (n *Namer) leftOut(ev *trace.Event, file string, line int) bool {
	if !ev.Kind.Spec().Pin {
		return false
	}
	channel, _ := n.on(file, line)
	return ev.Addr&trace.OpaqueTokenBit != 0 || ev.Addr&7 == 1 && !channel
}

// channel says what is done to a channel: what the line has that can be, or else what the events
// say.
func (o *operation) channel(n *Namer) {
	spec := o.event.Kind.Spec()
	op, name := "receive", ""
	switch {
	case spec.Opens || o.mark&markRead != 0:
		op = "send"
	case o.mark&markWrite != 0:
		op = "close"
	case o.event.Kind == trace.Observe && o.mark&markRelease == 0:
		op = "look at"
	}
	only := ""
	for _, t := range n.Symbols.On(o.File, o.Line) {
		word := channelOps[t.Op]
		if word == "" {
			continue
		}
		if word == op {
			name, _ = n.Symbols.At(o.File, o.Line, t.Op)
			only = op
			break
		}
		if only == "" {
			only = word
			name, _ = n.Symbols.At(o.File, o.Line, t.Op)
		} else {
			only, name = op, ""
		}
	}
	if only != "" {
		op = only
	}
	o.Op, o.Name = op, name
}

// on reports whether a line does something to a channel, and whether it does to a map: the runtime
// records accesses of both in the same way.
func (n *Namer) on(file string, line int) (channel, inMap bool) {
	for _, t := range n.Symbols.On(file, line) {
		channel = channel || channelOps[t.Op] != ""
		inMap = inMap || t.Op == "map"
	}
	return channel, inMap
}

func (n *Namer) channelOnly(file string, line int) bool {
	channel, inMap := n.on(file, line)
	return channel && !inMap
}

func (n *Namer) mapOnly(file string, line int) bool {
	channel, inMap := n.on(file, line)
	return inMap && !channel
}

// channelOps are the words for the operations of sites.
var channelOps = map[string]string{"send": "send", "recv": "receive", "close": "close"}
