package trace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSurvey: what is alone is so, and nearly all that is so is found, whatever the lines look
// like.
func TestSurvey(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	alone, found := 0, 0
	for range 300 {
		var text strings.Builder
		own, end := rng.Float64(), pick("\n", "\r\n")
		for range rng.IntN(200) {
			g := rng.IntN(4)
			thread := pick("T", "a goroutine with a long name ") + fmt.Sprint(g)
			name := pick("x", "V12345678", "another name that is long ") + fmt.Sprint(rng.IntN(10))
			if rng.Float64() < own {
				name += thread
			}
			op := pick("r", "r", "w")
			if rng.IntN(5) == 0 {
				op = pick("acq", "rel", "fork", "join", "begin", "end")
			}
			fmt.Fprintf(&text, "%s|%s(%s)|%d%s", thread, op, name, rng.IntN(10000), end)
		}
		events, err := ParseSTD(strings.NewReader(text.String()))
		require.NoError(t, err)
		in := strings.NewReader(text.String())
		s := NewSTDReader(in, "")
		require.NoError(t, s.Survey(strings.NewReader(text.String()), in.Size(), nil))
		surveyed, _, err := ReadAll(s)
		require.NoError(t, err)
		require.Len(t, surveyed, len(events))

		type use struct {
			by      map[G]bool
			written bool
		}
		uses := map[Addr]*use{}
		for _, ev := range events {
			if !ev.Kind.Spec().Access {
				continue
			}
			u := uses[ev.Addr]
			if u == nil {
				u = &use{by: map[G]bool{}}
				uses[ev.Addr] = u
			}
			u.by[ev.G] = true
			u.written = u.written || ev.Kind == Write
		}
		for i, ev := range events {
			u := uses[ev.Addr]
			want := ev.Kind.Spec().Access && (len(u.by) == 1 || !u.written)
			if surveyed[i].Alone {
				require.True(t, want, "event %d of\n%s", i, text.String())
				found++
			}
			if want {
				alone++
			}
			ev.Alone = surveyed[i].Alone
			require.Equal(t, ev, surveyed[i])
		}
	}
	require.Greater(t, found, alone*9/10)
	require.NotZero(t, alone)
}

// TestSurveyOfManyGoroutines: those that have no number in an entry are many.
func TestSurveyOfManyGoroutines(t *testing.T) {
	var table = newAloneTable(0)
	table.access(1<<60, aloneMany, aloneWritten)
	require.False(t, table.alone(1<<60))
	table.access(2<<60, aloneMany-1, aloneWritten)
	require.True(t, table.alone(2<<60))
	table.access(2<<60, aloneMany-1, 0)
	require.True(t, table.alone(2<<60))
	table.access(2<<60, aloneMany+1, 0)
	require.False(t, table.alone(2<<60))
}

func TestSurveyStops(t *testing.T) {
	enough := errors.New("enough")
	s := NewSTDReader(strings.NewReader(""), "")
	require.Equal(t, enough, s.Survey(strings.NewReader("T1|r(x)|1\n"), 10, func() error { return enough }))
}
