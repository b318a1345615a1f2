package present

import (
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/trace"
)

func (n *Namer) access(x *engine.Participant) report.Access {
	ev, s := &x.Ev, n.Symbols
	out := report.Access{
		Op:        opName(ev),
		Goroutine: n.goroutine(ev.G),
		Addr:      uint64(ev.Addr),
		Stack:     s.Stack(ev.Stack),
	}
	if len(out.Stack) > 0 {
		f := s.UserFrame(out.Stack)
		out.File, out.Line, out.Func = f.File, f.Line, f.Func
	}
	if ev.Kind.Spec().Opens {
		l := n.lock(ev)
		out.File, out.Line, out.Expr = l.File, l.Line, l.Name
		if l.Channel {
			out.Op = "send"
		}
		if f, ok := s.LockCaller(ev.Stack); ok {
			out.Func = f.Func
		}
		out.Stack = callers(out.Stack)
	} else if t, ok := s.Site(ev.Site); ok {
		out.File, out.Line, out.Column, out.Expr = t.File, t.Line, t.Column, t.Expr
	} else if out.File != "" {
		out.Expr, out.Column = s.At(out.File, out.Line, "map", opName(ev))
	}
	if x.Fork.Kind == trace.Fork {
		out.Created = s.Stack(x.Fork.Stack)
	}
	for i := range x.Locks {
		out.Locks = append(out.Locks, n.lock(&x.Locks[i]))
	}
	return out
}

func (n *Namer) lock(ev *trace.Event) report.Lock {
	l := report.Lock{Mode: "w"}
	if ev.Kind == trace.RAcquire {
		l.Mode = "r"
	}
	if called, f, ok := n.Symbols.LockCall(ev.Stack); ok {
		l.File, l.Line = f.File, f.Line
		ops := lockOps(called, ev.Kind == trace.RAcquire)
		l.Name, _ = n.Symbols.At(f.File, f.Line, ops...)
		l.Channel = slices.Equal(ops, []string{"send"})
		if l.Name != "" && slices.Contains(ops, "send") {
			sent, _ := n.Symbols.At(f.File, f.Line, "send")
			l.Channel = sent != ""
		}
	} else if t, ok := n.Symbols.Site(ev.Site); ok {
		l.File, l.Line, l.Name = t.File, t.Line, t.Expr
	}
	return l
}

// lockOps are the operations that the site of an acquisition may have, as the name of the function
// that was called says.
func lockOps(called string, reads bool) []string {
	switch method := called[strings.LastIndexByte(called, '.')+1:]; {
	case method == "RLock" || method == "TryRLock":
		return []string{"rlock"}
	case method == "Lock" || method == "TryLock":
		return []string{"lock"}
	case strings.HasPrefix(called, "runtime."):
		return []string{"send"} // it takes a channel that is a lock
	case reads:
		return []string{"rlock", "lock"}
	}
	return []string{"lock", "send"}
}
