package records_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/records"
	"github.com/racepred/racepred/internal/trace"
)

// TestJoiner: which events are left of some streams, by their places.
func TestJoiner(t *testing.T) {
	for name, c := range map[string]struct {
		events string
		handed int // the place of an event that ends another goroutine's section
		want   []int
	}{
		"sections of one goroutine (N1)": {events: "g1 acquire l; g1 release l; g1 acquire l; g1 release l; g1 acquire l; g1 release l; g1 write x", want: []int{0, 5, 6}},
		"between readers (N2)":           {events: "g1 racquire l; g2 racquire l; g1 rrelease l; g1 racquire l; g2 rrelease l; g2 racquire l; g1 rrelease l; g2 rrelease l", want: []int{0, 1, 7, 6}},
		"another goroutine's (N2)":       {events: "g1 acquire l; g1 release l; g2 acquire l; g2 release l; g1 acquire l; g1 release l", want: []int{0, 1, 2, 3, 4, 5}},
		"a writer between (N2)":          {events: "g1 racquire l; g1 rrelease l; g2 acquire l; g2 release l; g1 racquire l; g1 rrelease l", want: []int{0, 1, 2, 3, 4, 5}},
		"a TryLock that failed (N2)":     {events: "g1 acquire l; g1 release l; g1 acquire l; g2 tryfail l; g1 release l", want: []int{0, 1, 2, 3, 4}},
		"an access in the section":       {events: "g1 acquire l; g1 release l; g1 acquire l; g1 read x; g1 release l; g1 acquire l; g1 release l", want: []int{0, 1, 2, 3, 4, 5, 6}},
		"an access between":              {events: "g1 acquire l; g1 release l; g1 read x; g1 acquire l; g1 release l", want: []int{0, 1, 2, 3, 4}},
		"another lock between":           {events: "g1 acquire l; g1 release l; g1 acquire m; g1 release m; g1 acquire l; g1 release l", want: []int{0, 1, 2, 3, 4, 5}},
		"below another lock":             {events: "g1 acquire m; g1 acquire l; g1 release l; g1 acquire l; g1 release l; g1 release m", want: []int{0, 1, 4, 5}},
		"other mode":                     {events: "g1 acquire l; g1 release l; g1 racquire l; g1 rrelease l", want: []int{0, 1, 2, 3}},
		"other goroutines elsewhere":     {events: "g1 acquire l; g1 release l; g2 acquire m; g2 write x; g2 release m; g1 acquire l; g1 release l", want: []int{0, 2, 3, 4, 6}},
		"the lock's memory anew":         {events: "g1 acquire l; g1 release l; g2 alloc l; g1 acquire l; g1 release l", want: []int{0, 1, 2, 3, 4}},
		"given back by another (N2)":     {events: "g1 racquire l; g3 racquire l; g1 rrelease l; g2 rrelease l; g1 racquire l; g1 rrelease l", handed: 3, want: []int{0, 1, 2, 3, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, left(t, c.events, func(evs []trace.Event, deliver func(*trace.Event)) {
				j := records.Joiner{Deliver: deliver}
				for i := range evs {
					j.Event(&evs[i], c.handed > 0 && i == c.handed)
				}
				j.Flush()
			}))
		})
	}
}

// left is which events are left of a stream, by their places, if through gets them and delivers
// some.
func left(t *testing.T, events string, through func(evs []trace.Event, deliver func(*trace.Event))) (places []int) {
	evs, err := trace.Parse(strings.ReplaceAll(events, ";", "\n"))
	require.NoError(t, err)
	for i := range evs {
		evs[i].Other, evs[i].Site = uint32(i), 0
	}
	through(evs, func(ev *trace.Event) { places = append(places, int(ev.Other)) })
	return places
}

// TestJoinerTokens: sections that leave out reads observe an object of their lock. One section of
// several does, unless the object was changed in between.
func TestJoinerTokens(t *testing.T) {
	const lock, object = 0x100, 0x101
	section := func(g trace.G) []trace.Event {
		return []trace.Event{{Kind: trace.RAcquire, G: g, Addr: lock}, {Kind: trace.Observe, G: g, Addr: object}, {Kind: trace.RRelease, G: g, Addr: lock}}
	}
	count := func(evs ...trace.Event) (n int) {
		j := records.Joiner{Deliver: func(*trace.Event) { n++ }}
		for i := range evs {
			j.Event(&evs[i], false)
		}
		j.Flush()
		return n
	}
	join := func(lists ...[]trace.Event) (all []trace.Event) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	one, two := section(1), section(2)
	require.Equal(t, 3, count(join(one, one, one)...))
	require.Equal(t, 6, count(join(one, two, one, two)...))
	change := trace.Event{Kind: trace.Change, G: 2, Addr: object}
	require.Equal(t, 7, count(join(one, []trace.Event{change}, one)...))
	inside := join(one[:2], []trace.Event{change}, one[2:], one)
	require.Equal(t, 7, count(inside...), "the second section comes after the change, the first one's observation before")
}

// TestJoinerMany: more goroutines than the list has room for lose nothing but joins.
func TestJoinerMany(t *testing.T) {
	delivered := map[trace.G]int{}
	j := records.Joiner{Deliver: func(ev *trace.Event) { delivered[ev.G]++ }}
	const n = 1000
	for range 3 {
		for g := trace.G(1); g <= n; g++ {
			j.Event(&trace.Event{Kind: trace.RAcquire, G: g, Addr: 0x100}, false)
		}
		for g := trace.G(1); g <= n; g++ {
			j.Event(&trace.Event{Kind: trace.RRelease, G: g, Addr: 0x100}, false)
		}
	}
	for g := trace.G(1); g <= n; g++ {
		j.Forget(g)
		require.Zero(t, delivered[g]%2)
		require.GreaterOrEqual(t, delivered[g], 2)
	}
}
