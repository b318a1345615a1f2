package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// TestUnits checks which functions say when they begin and end.
func TestUnits(t *testing.T) {
	const src = `package p
import "sync"
type c struct { mu sync.Mutex; rw sync.RWMutex; n int }
// marked has the marker.
//
//racepred:atomic
func (c *c) marked() { }
// no marker: //racepred:atomic
func (c *c) unmarked() { }
// once takes a lock once, and another one.
func (c *c) once() { c.mu.Lock(); c.mu.Unlock(); c.rw.RLock(); c.rw.RUnlock() }
func (c *c) twice() { c.mu.Lock(); c.mu.Unlock(); c.mu.Lock(); c.mu.Unlock() }
func (c *c) modes() { c.rw.RLock(); c.rw.RUnlock(); for range 3 { for { c.rw.Lock(); c.rw.Unlock() } }; for { c.once() } }
func (c *c) literal() { c.mu.Lock(); c.mu.Unlock(); _ = func() { c.mu.Lock(); c.mu.Unlock() } }
`
	const (
		end  = "; defer racepred_runtime.RacepredUnitEnd(); }"
		once = "func (c *c) once() { c.mu.Lock(); c.mu.Unlock(); c.rw.RLock(); c.rw.RUnlock() }"
	)
	for sections, want := range map[bool][]string{
		false: {
			"func (c *c) marked() { racepred_runtime.RacepredAtomic(&sites[0])" + end, "func (c *c) unmarked() { }", once,
			"func (c *c) twice() { c.mu.Lock();",
		},
		true: {
			"func (c *c) marked() { racepred_runtime.RacepredAtomic(&sites[0])" + end, "func (c *c) unmarked() { }", once,
			"func (c *c) twice() { racepred_runtime.RacepredSections(&sites[5]); defer racepred_runtime.RacepredUnitEnd(); c.mu.Lock();",
			"for range 3 { racepred_runtime.RacepredTurn(); for { racepred_runtime.RacepredTurn(); c.rw.Lock(); c.rw.Unlock() } }; for { c.once() } }",
			"func (c *c) literal() { c.mu.Lock();",
		},
	} {
		plan := decide(t, src, func(s *Source) { s.Sections = sections })
		text := edit.Apply([]byte(src), 0, plan.Edits)
		for _, w := range want {
			require.Contains(t, text, w)
		}
	}
	plan := decide(t, "package p\n\n//racepred:atomic\ntype t int\n\n//racepred:atomic\nfunc noBody()\n", nil)
	require.Len(t, plan.Misses, 2)
	require.Equal(t, WhyStrayMark, plan.Misses[0].Why)

	plan = decide(t, "package p\n\nvar x int //racepred:ignore it\n\n//racepred:atmoic\nfunc f() {\n\tx++ //racepred:\n}\n\n//racepred:atomic both\nfunc g() { x++ }\n", nil)
	require.Equal(t, []Miss{
		{Line: 5, Col: 1, Expr: "//racepred:atmoic", Why: WhyUnknownWord},
		{Line: 7, Col: 6, Expr: "//racepred:", Why: WhyUnknownWord},
	}, plan.Misses)
}
