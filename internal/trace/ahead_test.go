package trace

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// script is a Source that counts its events by their sites and answers something else in between.
type script struct {
	events int
	answer map[int]Answer // before the event of that number
	end    Answer
	err    error
	n      int
}

func (s *script) Next(ev *Event) (Answer, error) {
	if a, ok := s.answer[s.n]; ok {
		delete(s.answer, s.n)
		return a, nil
	}
	if s.n == s.events {
		return s.end, s.err
	}
	s.n++
	*ev = Event{Kind: Read, Site: Site(s.n)}
	return Next, nil
}

// TestReadAheadIsReading compares all answers with those of the source itself.
func TestReadAheadIsReading(t *testing.T) {
	broken := errors.New("broken")
	for name, make := range map[string]func() *script{
		"nothing":                  func() *script { return &script{} },
		"less than a batch":        func() *script { return &script{events: 10} },
		"a batch":                  func() *script { return &script{events: batchEvents} },
		"many batches":             func() *script { return &script{events: 20*batchEvents + 3} },
		"an error":                 func() *script { return &script{events: 3 * batchEvents, end: Truncated, err: broken} },
		"a trace that breaks off":  func() *script { return &script{events: batchEvents + 1, end: Truncated} },
		"flushed between batches":  func() *script { return &script{events: 2 * batchEvents, answer: map[int]Answer{batchEvents: Flushed}} },
		"flushed before the first": func() *script { return &script{events: 5, answer: map[int]Answer{0: Flushed, 3: Flushed}} },
		"flushed at the end":       func() *script { return &script{events: 5, answer: map[int]Answer{5: Flushed}} },
	} {
		t.Run(name, func(t *testing.T) {
			want, ahead := make(), ReadAhead(make())
			defer ahead.Stop()
			for after := 0; after < 3; { // the last answer is said again
				var a, b Event
				x, errX := want.Next(&a)
				y, errY := ahead.Next(&b)
				require.Equal(t, x, y)
				require.Equal(t, errX, errY)
				if x == Next {
					require.Equal(t, a, b)
				}
				if x != Next && x != Flushed {
					after++
				}
			}
		})
	}
}

func TestReadAheadStops(t *testing.T) {
	s := &script{events: 1 << 30}
	a := ReadAhead(s)
	answer, err := a.Next(new(Event))
	require.NoError(t, err)
	require.Equal(t, Next, answer)
	a.Stop()
	a.Stop()
}

// TestBatches: Batch and Next give the same events, in turns as well.
func TestBatches(t *testing.T) {
	for _, single := range []int{0, 1, 3} {
		s := script{events: 5*batchEvents + 7, answer: map[int]Answer{0: Flushed, batchEvents: Flushed, batchEvents + 5: Flushed}}
		a := ReadAhead(&s)
		n, flushed := 0, 0
		for {
			evs, answer, err := a.Batch()
			require.NoError(t, err)
			evs = slices.Clone(evs)
			for range single {
				if answer != Next {
					break
				}
				var ev Event
				if answer, err = a.Next(&ev); answer == Next {
					evs = append(evs, ev)
				}
				require.NoError(t, err)
			}
			for i := range evs {
				n++
				require.Equal(t, Site(n), evs[i].Site)
			}
			if answer == Flushed {
				flushed++
			} else if answer != Next {
				require.Equal(t, Ended, answer)
				break
			}
		}
		require.Equal(t, 5*batchEvents+7, n)
		require.Equal(t, 3, flushed)
		a.Stop()
	}
}
