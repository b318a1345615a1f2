package syncmisuse

import (
	"go/ast"
	"go/types"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// closedByReceiver finds channels that a function closes after it has received from them and
// without having waited, while another function sends on them in a loop or is started several
// times.
func closedByReceiver(c *checker) {
	senders := map[*types.Var]*flow.Event{}
	from := map[*types.Var]*flow.Func{}
	for f := range c.p.Funcs {
		for e := range f.Events {
			if s, ok := e.Node.(*ast.SendStmt); ok && e.Kind == flow.Release && !e.InPlace {
				if v := variable(c.pass.TypesInfo, s.Chan); v != nil && f.Reaches(e, e, func(*flow.Event) bool { return false }) {
					senders[v], from[v] = e, f
				}
			}
		}
	}
	for f := range c.p.Funcs {
		for e := range f.Events {
			if e.Kind != flow.Release || e.Op != flow.OpChan || e.Sends || e.InPlace {
				continue
			}
			call, ok := e.Node.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				continue
			}
			v := variable(c.pass.TypesInfo, call.Args[0])
			send := senders[v]
			if send == nil || from[v] == f || !c.receivesBefore(f, e, v) {
				continue
			}
			c.report(call, nil, relate(send.Node, "it is sent on here, in a loop"), "%s is closed by who receives from it, while others may send", types.ExprString(call.Args[0]))
		}
	}
}

// receivesBefore reports whether a function receives from a channel before it closes it, and waits
// for nothing else.
func (c *checker) receivesBefore(f *flow.Func, closing *flow.Event, ch *types.Var) (found bool) {
	for e := range f.Events {
		if e.Kind != flow.Acquire {
			continue
		}
		switch n := e.Node.(type) {
		case *ast.UnaryExpr:
			if e.Op == flow.OpChan && variable(c.pass.TypesInfo, n.X) == ch && f.Reaches(e, closing, func(*flow.Event) bool { return false }) {
				found = true
			}
		case *ast.RangeStmt:
			if e.Op == flow.OpChan && variable(c.pass.TypesInfo, n.X) == ch && f.Reaches(e, closing, func(*flow.Event) bool { return false }) {
				found = true
			}
		}
		if e.Op == flow.OpGroup {
			return false
		}
	}
	return found
}
