package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGiven checks calls of harmless code that is given a function or made of one (instrument/O12),
// and sealed interfaces (instrument/O3); package net/textproto is not rewritten.
func TestGiven(t *testing.T) {
	const src = `package p
import ("container/ring"; "context"; "math/rand"; "net/textproto"; "sort"; "strings"; "sync"; "testing"; "unicode")
type T struct { once sync.Once; m sync.Map; pool, Out sync.Pool; ref *sync.Pool; f func(); r *rand.Rand; l sync.WaitGroup }
func (t *T) own() {}
func (t *T) pick(r rune) bool { return false }
type sealed interface { sealed(); Close() error; Own() }
type impl struct { *textproto.Conn }
func (impl) sealed() {}
func (impl) Own() {}
type stays interface { stays(); Close() error }
type impl2 struct { *textproto.Conn }
func (impl2) stays() {}
func (impl2) Close() error { return nil }
type wraps struct { stays }
func f(t *T, c *textproto.Conn, cb func(), pick func(rune) bool, visit func(k, v any) bool, s sealed, k stays, src rand.Source, ctx context.Context, tt *testing.T, list *ring.Ring) {
	%s
}
var _ = []any{sort.Search, strings.Map, unicode.IsSpace}
`
	const opaque, known = true, false
	for stmt, want := range map[string]bool{
		"t.once.Do(func() { t.f = nil })":                known,
		"t.once.Do(t.own)":                               known,
		"g := func() {}; t.once.Do(g)":                   known,
		"t.once.Do(cb)":                                  opaque,
		"t.once.Do(t.f)":                                 opaque,
		"t.once.Do(s.Own)":                               opaque,
		"t.once.Do(func() { _ = c })":                    known,
		"t.m.Range(func(k, v any) bool { return true })": known,
		"t.m.Range(visit)":                               opaque,
		"t.m.Range(nil)":                                 known,
		"t.l.Go(cb)":                                     known,
		"context.AfterFunc(ctx, cb)":                     known,
		"tt.Cleanup(cb)":                                 known,
		"t.pool.Get()":                                   known,
		"t.Out.Get()":                                    opaque,
		"t.ref.Get()":                                    opaque,
		"t.pool.New = nil; t.pool.Get()":                 opaque,
		"t.pool = sync.Pool{New: func() any { return 1 }}; t.pool.Get()":         known,
		"g := func() any { return 1 }; t.pool = sync.Pool{New: g}; t.pool.Get()": opaque,
		"t.pool.Put(1)": known,
		"_ = strings.FieldsFunc(`x`, unicode.IsSpace)":       known,
		"_ = strings.FieldsFunc(`x`, t.pick)":                known,
		"_ = strings.FieldsFunc(`x`, pick)":                  opaque,
		"_ = sort.Search(3, func(int) bool { return true })": known,
		"list.Do(func(any) {})":                              known,
		"list.Do(nil)":                                       known,
		"t.r.Intn(3)":                                        known,
		"t.r = rand.New(rand.NewSource(1)); t.r.Intn(3)":     known,
		"t.r = rand.New(src); t.r.Intn(3)":                   opaque,
		"t.r = rand.New(src); rand.Intn(3)":                  known,
		"t.r.Shuffle(3, func(i, j int) {})":                  known,
		"s.Own()":                                            known,
		"s.Close()":                                          opaque,
		"k.Close()":                                          known,
	} {
		t.Run(stmt, func(t *testing.T) {
			text := strings.Replace(src, "%s", stmt, 1)
			plan := decide(t, text, func(s *Source) {
				s.Recorded = func(path string) bool { return path != "sync" && path != "testing" && path != "context" }
			})
			got := slices.ContainsFunc(plan.Opaque, func(c OpaqueCall) bool { return c.Callee != "rand.New" })
			require.Equal(t, want, got)
		})
	}
}
