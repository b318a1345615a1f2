package instrument

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestValues lists which values and conditions a plan names: "if cond <- reads".
func TestValues(t *testing.T) {
	const head = `package p
type T struct { f, g int; ok bool; p *T; a []int; s string; i any; in struct{ x int }; m map[int]int }
func call(int) int { return 0 }
func f(x *T, n int) {
`
	for _, c := range []struct{ body, values, conditions string }{
		{"x.f = 1; x.s = x.p.s", "write x.f int; read x.p *p.T; read x.p.s string; write x.s string", ""},
		{"x.in = x.p.in; _ = x.a", "read x.p *p.T", ""},
		{"x.f++", "read x.f int; write x.f int", ""},
		{"if x.f > n { }", "read x.f int", "if x.f > n <- x.f"},
		{"if n > 1 { x.f = 1 }", "write x.f int", ""},
		{"v := x.f + 1; w := v; if w > 0 { }", "read x.f int", "if w > 0 <- x.f"},
		{"v, w := x.f, x.g; for v > 0 { v-- }; _ = w", "read x.f int; read x.g int", "for v > 0 <- x.f"},
		{"v := call(x.f); if v > 0 { }", "read x.f int", "if v > 0 <- x.f"},
		{"if x.ok && n > 0 || x.f == x.g { }", "read x.ok bool; read x.f int; read x.g int",
			"if x.ok && n > 0 || x.f == x.g <- x.ok x.f x.g; or x.ok && n > 0 <- x.ok; and x.ok <- x.ok"},
		{"switch x.f { case x.g: case 1: }", "read x.f int; read x.g int", "switch x.f <- x.f; case x.g <- x.g"},
		{"switch y := x.i.(type) { case int: if y > 0 { } }", "", "type switch x.i <- x.i"},
		{"for range x.a { }; for i := range x.f { if i > 0 { } }", "read x.f int", "range x.a <- x.a; range x.f <- x.f; if i > 0 <- x.f"},
		{"g := func() { if x.ok { } }; g()", "read x.ok bool", "if x.ok <- x.ok"},
		{"_ = x.f; _ = x.f; x.f = 1; x.f = 2", "read x.f int; read x.f int; write x.f int; write x.f int", ""},
	} {
		t.Run(c.body, func(t *testing.T) {
			src := head + c.body + "\n}\n"
			plan := decide(t, src, func(s *Source) { s.Values = true })
			var values, conditions []string
			for _, v := range plan.Values {
				s := plan.Sites[v.Site]
				values = append(values, fmt.Sprintf("%s %s %s", s.Op, s.Expr, v.Type))
			}
			for _, cond := range plan.Conditions {
				line := cond.Kind + " " + cond.Expr + " <-"
				for _, i := range cond.Reads {
					line += " " + plan.Sites[i].Expr
				}
				conditions = append(conditions, line)
			}
			require.Equal(t, c.values, strings.Join(values, "; "))
			require.Equal(t, c.conditions, strings.Join(conditions, "; "))

			off := decide(t, src, nil)
			require.Empty(t, off.Values)
			require.Empty(t, off.Conditions)
			if len(off.Covered) == 0 {
				require.Equal(t, off.Edits, plan.Edits)
			} else {
				require.Empty(t, plan.Covered)
				require.Greater(t, len(plan.Edits), len(off.Edits))
			}
		})
	}
}
