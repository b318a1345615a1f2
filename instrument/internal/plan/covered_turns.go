package plan

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/racepred/racepred/instrument/internal/redundancy"
	"github.com/racepred/racepred/instrument/internal/site"
)

// flag is a new local variable: whether an access was recorded since the loop began.
type flag struct {
	loop *loop
	name string
}

// recorder is the recording call of an access without its pointer.
type recorder struct {
	name string        // of the function
	rest func() string // what comes after the pointer; makes the site
}

// on is the text of the call with a pointer.
func (r recorder) on(pointer string) string { return r.name + "(" + pointer + r.rest() }

// recorder chooses how an access of e is recorded.
//
// (C4) Replace  for i < n { ... x.f ... }
//
//	with  { t1 := false; for i < n { ... (*runtime.RacepredOnceR(&x.f, site, &t1)) ... } }
//
// if x.f is the same location in all turns and nothing in the loop synchronizes. The flag belongs
// to the outermost such loop. It is tested where the access stands, so it does not matter which
// turn comes to the access first.
func (w *walker) recorder(op Op, e ast.Expr) recorder {
	if w.isPushed(e) {
		return recorder{w.Runtime + ".RacepredPushing", func() string { return ")" }}
	}
	fn := "R"
	if op == site.OpWrite {
		fn = "W"
	}
	return w.onceRecorder(e, fn, func() string { return w.site(op, e.Pos(), w.Written(e)) }, 1)
}

// onceRecorder is the recorder that calls a function of package runtime. args makes its arguments
// after the pointer, and adds that many sites.
func (w *walker) onceRecorder(e ast.Expr, what string, args func() string, sites int) recorder {
	fn := w.Runtime + ".Racepred"
	end := ")"
	l := w.onceIn(e)
	if l != nil {
		name := w.Temp()
		w.flags = append(w.flags, flag{l, name})
		fn += "Once"
		end = ", &" + name + ")"
	}
	return recorder{fn + what, func() string {
		text := args()
		for i := range sites {
			w.plan.Sites[len(w.plan.Sites)-1-i].Once = l != nil
		}
		return ", " + text + end
	}}
}

// onceIn is the outermost loop in which one record of e is enough, nil if there is none.
func (w *walker) onceIn(e ast.Expr) (outermost *loop) {
	if w.All || w.loop == nil {
		return nil
	}
	if _, _, ok := w.span().Location(e); !ok {
		return nil
	}
	for l := w.loop; l != nil && l.blockable; l = l.outer {
		if l.turns == nil {
			l.turns = &redundancy.Turns{OneSpan: w.span().OneSpan(l.node), Assigned: w.span().AssignedBy(l.node)}
		}
		if !l.turns.OneSpan || !w.span().StableIn(e, l.node, l.turns.Assigned) {
			break
		}
		outermost = l
	}
	return outermost
}

// declareFlags puts a loop that was visited into a block with its flags.
func (w *walker) declareFlags(l *loop) {
	var names, values []string
	w.flags = slices.DeleteFunc(w.flags, func(f flag) bool {
		if f.loop == l {
			names, values = append(names, f.name), append(values, "false")
		}
		return f.loop == l
	})
	if len(names) == 0 {
		return
	}
	w.stmt.gap.Fill(RuleOnce, "{ "+strings.Join(names, ", ")+" := "+strings.Join(values, ", ")+"; ")
	w.stmt.closing = append(w.stmt.closing, " }")
}
