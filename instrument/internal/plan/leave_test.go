package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// TestReturnsLocked: which functions ask about their caller (O15).
func TestReturnsLocked(t *testing.T) {
	const head = `package p
import "sync"
type T struct { mu sync.Mutex; rw sync.RWMutex; l sync.Locker }
var mu sync.Mutex
func call(f func()) { f() }
func lock[E any](E) { mu.Lock() }
func unlock() { mu.Unlock() }
func both() { mu.Lock(); defer mu.Unlock() }
`
	own := strings.Count(rewritten(t, head), "RacepredReturns(")
	require.Equal(t, 1, own) // lock
	for decl, asks := range map[string]int{
		"func f() { mu.Lock() }":                                       1,
		"func f() { lock(1) }":                                         1,
		"func f() { lock(1); unlock() }":                               0,
		"func f() { lock(1); mu.Unlock() }":                            0,
		"func f() { lock(1); both() }":                                 1,
		"func f() { both() }":                                          0,
		"func f() { unlock() }":                                        0,
		"func f() { call(func() { mu.Lock() }); mu.Unlock() }":         1,
		"func f() { mu.Lock(); defer func() { mu.Unlock() }() }":       0,
		"func f() { defer mu.Unlock(); for { mu.Lock(); break } }":     0,
		"func f(t *T) { t.mu.Lock(); mu.Unlock() }":                    1,
		"func f(t *T) { t.rw.RLock(); t.rw.RUnlock() }":                0,
		"func f(t *T) bool { return t.mu.TryLock() }":                  1,
		"func (t *T) Lock() { t.l.Lock() }":                            1,
		"func (t *T) Unlock() { t.mu.Unlock() }":                       0,
		"func (t *T) take() { t.rw.Lock() }\nfunc f(t T) { t.take() }": 2,
		"var f = func() { mu.Lock() }":                                 1,
		"//go:nosplit\nfunc f() { mu.Lock() }":                         0, // it is not recorded at all
	} {
		require.Equal(t, asks, strings.Count(rewritten(t, head+decl+"\n"), "RacepredReturns(")-own, decl)
	}
	require.Contains(t, rewritten(t, head+"func f() { mu.Lock() }\n"), "func f() { defer ")
}

func rewritten(t *testing.T, src string) string {
	return edit.Apply([]byte(src), 0, decide(t, src, func(s *Source) { s.Whole = Look(s.Pkg, s.Info, s.File) }).Edits)
}
