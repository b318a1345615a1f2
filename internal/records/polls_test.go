package records_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/records"
	"github.com/racepred/racepred/internal/trace"
)

// TestPolls: which events are left of some streams, by their places.
func TestPolls(t *testing.T) {
	for name, c := range map[string]struct {
		events string
		want   []int
	}{
		"first and last (Y1)":          {events: "g1 observe c; g1 observe c; g1 observe c; g1 observe c; g1 write x", want: []int{0, 3, 4}},
		"at the end (Y2)":              {events: "g1 observe c; g1 observe c; g1 observe c", want: []int{0, 2}},
		"of two objects (Y1)":          {events: "g1 observe c; g1 observe d; g1 observe c; g1 observe d; g1 observe c; g1 observe d; g1 read x", want: []int{0, 1, 4, 5, 6}},
		"changed by another (Y2)":      {events: "g1 observe c; g1 observe c; g1 observe c; g2 change c; g1 observe c; g1 observe c", want: []int{0, 2, 3, 4, 5}},
		"changed before the second":    {events: "g1 observe c; g2 change c; g1 observe c; g1 observe c", want: []int{0, 1, 3}},
		"changed by itself":            {events: "g1 observe c; g1 observe c; g1 change c; g1 observe c", want: []int{0, 1, 2, 3}},
		"another event between":        {events: "g1 observe c; g1 read x; g1 observe c; g1 read x; g1 observe c", want: []int{0, 1, 2, 3, 4}},
		"another goroutine looks, too": {events: "g1 observe c; g2 observe c; g1 observe c; g2 observe c; g1 observe c; g2 observe c; g2 read x; g1 read x", want: []int{0, 1, 5, 6, 4, 7}},
		"other events of others":       {events: "g1 observe c; g1 observe c; g2 change d; g2 write x; g1 observe c; g1 read x", want: []int{0, 2, 3, 4, 5}},
		"new memory (Y2)":              {events: "g1 observe c; g1 observe c; g2 alloc c; g1 observe c", want: []int{0, 1, 2, 3}},
		"other flags":                  {events: "g1 observe c; g1 observe c unseen; g1 observe c; g1 observe c unseen; g1 read x", want: []int{0, 1, 2, 3, 4}},
		"more than it remembers":       {events: "g1 observe a; g1 observe b; g1 observe c; g1 observe d; g1 observe e; g1 observe f; g1 observe g; g1 observe h; g1 observe a; g1 observe i; g1 observe a", want: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		"acquires, too (Y1)":           {events: "g1 hardacquire d; g1 observe c; g1 hardacquire d; g1 observe c; g1 hardacquire d; g1 observe c; g1 write x", want: []int{0, 1, 4, 5, 6}},
		"released in between (Y2)":     {events: "g1 hardacquire d; g1 hardacquire d; g1 hardacquire d; g2 hardmerge d; g1 hardacquire d; g1 hardacquire d; g1 hardacquire d", want: []int{0, 2, 3, 4, 6}},
		"one of each kind":             {events: "g1 observe c; g1 hardacquire c; g1 observe c; g1 hardacquire c; g2 hardacquire c; g1 hardacquire c; g1 read x", want: []int{0, 1, 4, 2, 5, 6}},
		"another one while some wait":  {events: "g1 observe a; g1 observe a; g1 observe b; g1 observe a; g1 observe a; g1 observe b; g1 read x", want: []int{0, 1, 2, 4, 5, 6}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, left(t, c.events, func(evs []trace.Event, deliver func(*trace.Event)) {
				x := records.Polls{Deliver: deliver}
				for i := range evs {
					if !x.Event(&evs[i]) {
						deliver(&evs[i])
					}
				}
				x.Flush()
			}))
		})
	}
}

// TestPollsRandom: of random streams only looks are left out, each goroutine's events keep their
// order, as do those of each object that are not both looks, and of each goroutine's looks at an
// object between two changes of it the last one is left.
func TestPollsRandom(t *testing.T) {
	const gs, objects = 20, 6 // some goroutines share a place
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var in, out []trace.Event
		deliver := func(ev *trace.Event) { out = append(out, *ev) }
		x := records.Polls{Deliver: deliver}
		kinds := []trace.Kind{trace.Observe, trace.Observe, trace.Observe, trace.HardAcquire, trace.HardAcquire, trace.Change, trace.Read, trace.HardSwap, trace.Alloc}
		most := 1 + r.IntN(len(kinds))
		for i := range 200 {
			ev := trace.Event{Kind: kinds[r.IntN(most)], G: trace.G(1 + r.IntN(gs)), Addr: trace.Addr(0x100 + 8*r.IntN(objects)), Other: uint32(i)}
			if ev.Kind == trace.Alloc || ev.Kind == trace.Read {
				ev.Size = uint32(8 * (1 + r.IntN(2)))
			}
			in = append(in, ev)
			if !x.Event(&ev) {
				deliver(&ev)
			}
			if r.IntN(100) == 0 {
				x.Flush()
			}
		}
		x.Flush()
		place := map[uint32]int{}
		for i, ev := range out {
			place[ev.Other] = i
			require.Equal(t, in[ev.Other], ev)
		}
		for i, ev := range in {
			_, left := place[uint32(i)]
			if !left {
				require.True(t, looks(&ev))
				later := slices.IndexFunc(in[i+1:], func(e trace.Event) bool { return e.G == ev.G && e.Kind == ev.Kind && e.Addr == ev.Addr })
				require.GreaterOrEqual(t, later, 0)
				for _, between := range in[i+1 : i+1+later] {
					require.False(t, between.G == ev.G && !looks(&between))
					require.False(t, touches(&between, ev.Addr))
				}
				continue
			}
			for k, before := range in[:i] {
				if at, left := place[uint32(k)]; left && (before.G == ev.G || (touches(&ev, before.Addr) || touches(&before, ev.Addr))) {
					require.Less(t, at, place[uint32(i)], "%v, %v", before, ev)
				}
			}
		}
	}
}

func looks(ev *trace.Event) bool { return ev.Kind == trace.Observe || ev.Kind == trace.HardAcquire }

// touches reports whether the event tells when a look at a was.
func touches(ev *trace.Event, a trace.Addr) bool {
	return ev.Kind == trace.Alloc && ev.Covers(a) || ev.Kind == trace.Change && ev.Addr == a || ev.Kind == trace.HardSwap && ev.Addr == a
}
