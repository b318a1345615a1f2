package wcp

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// time is a vector time of the paper, for goroutines 1 to 3.
type time [3]int

func (a *time) join(b time) {
	for i := range a {
		a[i] = max(a[i], b[i])
	}
}

func (a time) below(b time) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// algorithm1 is the paper's Algorithm 1, line by line, for traces of accesses and sections that
// nest.
type algorithm1 struct {
	n        [3]int
	released [3]bool // the event before was a release: N goes up
	h, p     [3]time
	hl, pl   map[trace.Addr]*time
	lr, lw   map[[2]trace.Addr]*time
	acq, rel map[trace.Addr]*[3][]time
	held     [3][]trace.Addr
	r, w     [3][]map[trace.Addr]bool // by open section, the variables read and written
}

func at[K comparable, V any](m map[K]*V, k K) *V {
	if m[k] == nil {
		m[k] = new(V)
	}
	return m[k]
}

func newAlgorithm1() *algorithm1 {
	return &algorithm1{
		n: [3]int{1, 1, 1}, h: [3]time{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		hl: map[trace.Addr]*time{}, pl: map[trace.Addr]*time{}, lr: map[[2]trace.Addr]*time{}, lw: map[[2]trace.Addr]*time{},
		acq: map[trace.Addr]*[3][]time{}, rel: map[trace.Addr]*[3][]time{},
	}
}

// c is C_t: P_t with t's own time.
func (a *algorithm1) c(t int) time {
	c := a.p[t]
	c[t] = a.n[t]
	return c
}

// event returns H, P and C of the event.
func (a *algorithm1) event(ev *trace.Event) (h, p, c time) {
	t, l := int(ev.G)-1, ev.Addr
	if a.released[t] {
		a.released[t] = false
		a.n[t]++
		a.h[t][t] = a.n[t]
	}
	switch ev.Kind {
	case trace.Acquire:
		a.h[t].join(*at(a.hl, l))
		a.p[t].join(*at(a.pl, l))
		for o := range 3 {
			if o != t {
				at(a.acq, l)[o] = append(at(a.acq, l)[o], a.c(t))
			}
		}
		a.held[t] = append(a.held[t], l)
		a.r[t], a.w[t] = append(a.r[t], map[trace.Addr]bool{}), append(a.w[t], map[trace.Addr]bool{})
	case trace.Release:
		acq, rel := at(a.acq, l), at(a.rel, l)
		for len(acq[t]) > 0 && acq[t][0].below(a.c(t)) {
			acq[t] = acq[t][1:]
			a.p[t].join(rel[t][0])
			rel[t] = rel[t][1:]
		}
		k := len(a.held[t]) - 1
		for x := range a.r[t][k] {
			at(a.lr, [2]trace.Addr{l, x}).join(a.h[t])
		}
		for x := range a.w[t][k] {
			at(a.lw, [2]trace.Addr{l, x}).join(a.h[t])
		}
		*at(a.hl, l), *at(a.pl, l) = a.h[t], a.p[t]
		for o := range 3 {
			if o != t {
				rel[o] = append(rel[o], a.h[t])
			}
		}
		a.held[t], a.r[t], a.w[t] = a.held[t][:k], a.r[t][:k], a.w[t][:k]
		a.released[t] = true
	case trace.Read, trace.Write:
		for k, l := range a.held[t] {
			key := [2]trace.Addr{l, ev.Addr}
			a.p[t].join(*at(a.lw, key))
			if ev.Kind == trace.Write {
				a.p[t].join(*at(a.lr, key))
				a.w[t][k][ev.Addr] = true
			} else {
				a.r[t][k][ev.Addr] = true
			}
		}
	}
	return a.h[t], a.p[t], a.c(t)
}

// figure6 are the clocks of the events of the case file, (t1,t2,t3); of acrl, of the two events.
// What the paper's text says of them: e17 has the H of e6, e20 that of e10, and e10's that of e5.
var figure6 = strings.TrimSpace(`
g3 acquire H(0,0,1) P(0,0,0) C(0,0,1)
g3 write H(0,0,1) P(0,0,0) C(0,0,1)
g1 acquire H(1,0,0) P(0,0,0) C(1,0,0)
g1 acquire H(1,0,0) P(0,0,0) C(1,0,0)
g1 release H(1,0,0) P(0,0,0) C(1,0,0)
g3 acquire H(1,0,1) P(0,0,0) C(0,0,1)
g3 release H(1,0,1) P(0,0,0) C(0,0,1)
g3 release H(1,0,2) P(0,0,0) C(0,0,2)
g1 write H(2,0,0) P(0,0,0) C(2,0,0)
g1 acquire H(2,0,0) P(0,0,0) C(2,0,0)
g1 release H(2,0,0) P(0,0,0) C(2,0,0)
g1 write H(3,0,0) P(0,0,0) C(3,0,0)
g1 release H(3,0,0) P(0,0,0) C(3,0,0)
g2 acquire H(2,1,0) P(0,0,0) C(0,1,0)
g2 release H(2,1,0) P(0,0,0) C(0,1,0)
g2 write H(2,2,0) P(0,0,0) C(0,2,0)
g2 read H(2,2,0) P(0,0,0) C(0,2,0)
g2 acquire H(3,2,0) P(0,0,0) C(0,2,0)
g2 acquire H(3,2,2) P(0,0,0) C(0,2,0)
g2 read H(3,2,2) P(0,0,0) C(0,2,0)
g2 read H(3,2,2) P(1,0,2) C(1,2,2)
g2 release H(3,2,2) P(1,0,2) C(1,2,2)
g2 read H(3,3,2) P(1,0,2) C(1,3,2)
g2 release H(3,3,2) P(3,0,2) C(3,3,2)
g2 read H(3,4,2) P(3,0,2) C(3,4,2)
g2 acquire H(3,4,2) P(3,0,2) C(3,4,2)
g2 write H(3,4,2) P(3,3,2) C(3,4,2)
g2 release H(3,4,2) P(3,3,2) C(3,4,2)
`)

// TestFigure6 computes the clocks of Figure 6 by the paper's algorithm, and holds the predictor to
// the order that they say: its own count epochs, which end with an edge.
func TestFigure6(t *testing.T) {
	text, err := os.ReadFile("../../oracle/testdata/figures/pldi17_fig6.txt")
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(text), "\n---\n")
	evs, err := trace.Parse(body)
	require.NoError(t, err)
	paper, p := newAlgorithm1(), New(predict.Config{}, func(predict.Candidate) {})
	var lines []string
	var times []time
	type mine struct {
		slot vclock.Slot
		now  vclock.Time
	}
	var epochs []mine
	for j := range evs {
		h, before, c := paper.event(&evs[j])
		lines = append(lines, fmt.Sprintf("g%d %v H%s P%s C%s", evs[j].G, evs[j].Kind, tuple(h), tuple(before), tuple(c)))
		times = append(times, c)

		p.Event(trace.Seq(j), &evs[j])
		g := p.of(evs[j].G)
		epochs = append(epochs, mine{g.Slot, g.Acted})
		for i := range j {
			if evs[i].G != evs[j].G {
				require.Equal(t, times[i].below(c), epochs[i].now <= p.of(evs[j].G).Known.At(epochs[i].slot), "events %d and %d", i+1, j+1)
			}
		}
	}
	require.Equal(t, figure6, strings.Join(lines, "\n"))
}

func tuple(v time) string { return fmt.Sprintf("(%d,%d,%d)", v[0], v[1], v[2]) }
