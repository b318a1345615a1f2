package plan

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/thrown"
)

// TestThrown checks which functions have results that every caller throws away. (D2)
func TestThrown(t *testing.T) {
	const src = `package p
import "sync/atomic"
type counter struct{ n atomic.Int64 }
var n atomic.Int64
func inc() int64 { return n.Add(1) }
func outer() int64 { return inc() }
func (c *counter) inc() int64 { return c.n.Add(1) }
func Exported() int64 { return n.Add(1) }
func named() (i int64) { return n.Add(1) }
func generic[T any]() int64 { return n.Add(1) }
func two() (int64, int64) { return n.Add(1), n.Add(2) }
func literal() func() int64 { return func() int64 { return n.Add(1) } }
func f(c *counter) {
	%s
}
`
	for body, want := range map[string]string{
		"inc(); outer(); c.inc(); Exported(); named(); generic[int](); two(); literal()()": "inc outer counter.inc generic two two",
		"inc(); c.inc()": "inc outer counter.inc generic two two",
		"go inc(); defer inc(); _ = inc(); _, _ = two()": "inc outer counter.inc generic two two",
		"if inc() > 1 { }":             "outer counter.inc generic two two",
		"outer(); x := outer(); _ = x": "counter.inc generic two two",
		"x := c.inc(); _ = x":          "inc outer generic two two",
		"g := c.inc; g()":              "inc outer generic two two",
		"g := inc; g()":                "outer counter.inc generic two two",
		"(*counter).inc(c); (inc)()":   "inc outer counter.inc generic two two",
		"var i interface{ inc() int64 } = c; println(i.inc())": "inc outer generic two two",
		"_, i := two(); _ = i":                                 "inc outer counter.inc generic",
		"func() int64 { return inc() }()":                      "outer counter.inc generic two two",
		"println(generic[string]())":                           "inc outer counter.inc two two",
	} {
		t.Run(body, func(t *testing.T) {
			text := strings.Replace(src, "%s", body, 1)
			var got []string
			decide(t, text, func(s *Source) {
				s.Whole.thrown = thrown.Find(s.Pkg, s.Info, s.File)
				for _, d := range s.File.Decls {
					d, ok := d.(*ast.FuncDecl)
					if !ok || d.Name.Name == "literal" {
						continue
					}
					name := d.Name.Name
					if d.Recv != nil {
						name = "counter." + name
					}
					if list := thrown.ReturnsOf(d.Body); len(list) > 0 && s.Whole.thrown[list[0]] {
						for range list[0].Results {
							got = append(got, name)
						}
					}
				}
			})
			require.Equal(t, want, strings.Join(got, " "))
		})
	}
	const counts = `package p
import "sync"
type c struct { mu sync.Mutex; n, m int }
func (c *c) inc() int { c.mu.Lock(); defer c.mu.Unlock(); c.n++; return c.n }
func (c *c) two() (int, int) { c.mu.Lock(); c.n++; c.mu.Unlock(); return c.n, c.m }
func f(c *c) { c.inc(); c.two() }
`
	loads := decide(t, counts, func(s *Source) { s.Whole.thrown = thrown.Find(s.Pkg, s.Info, s.File) })
	require.Equal(t, "inc: r c.n, w c.n, two: r c.n, w c.n, r c.n, r c.m", "inc: "+recorded(&Plan{Sites: of(loads, "(*c).inc")})+", two: "+recorded(&Plan{Sites: of(loads, "(*c).two")}))
	plan := decide(t, strings.Replace(src, "%s", "inc()", 1), func(s *Source) { s.Whole.thrown = thrown.Find(s.Pkg, s.Info, s.File) })
	text := string(edit.Apply([]byte(strings.Replace(src, "%s", "inc()", 1)), 0, plan.Edits))
	require.Contains(t, text, "func inc() int64 { return n.RacepredAdd(1) }")
	require.Contains(t, text, "func (c *counter) inc() int64 { return c.n.RacepredAdd(1) }")
	require.Contains(t, text, "func Exported() int64 { return n.Add(1) }")
	require.Contains(t, text, "func named() (i int64) { return n.Add(1) }")
	require.Contains(t, text, "return func() int64 { return n.Add(1) } }")
}
