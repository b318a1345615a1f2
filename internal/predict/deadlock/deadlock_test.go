package deadlock_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/deadlock"
	"github.com/racepred/racepred/internal/trace"
)

// TestVeryManyHeld: of the locks that a goroutine holds the latest count. When all did, goroutines
// that hold 4,096 took nine times as long.
func TestVeryManyHeld(t *testing.T) {
	const n = 3000
	var found []string
	p := feeder{Predictor: deadlock.New(predict.Config{}, func(c predict.Candidate) {
		require.Len(t, c.Events, 2)
		found = append(found, fmt.Sprint(c.Events[0].Seq, c.Events[1].Seq))
	})}
	for i := range trace.Addr(n) {
		p.do(1, trace.Acquire, i+1)
	}
	for i := range trace.Addr(n) {
		p.do(1, trace.Release, n-i)
	}
	p.do(2, trace.Acquire, n, n-100)
	require.Equal(t, []string{fmt.Sprint(n-1, 2*n+1)}, found)
}

func TestCycles(t *testing.T) {
	for _, test := range []struct {
		name, trace string
		want        []string // the places of each candidate's events
	}{
		{"two orders (K2)", `
			g1 acquire a
			g1 acquire b
			g1 release b
			g1 release a
			g2 acquire b
			g2 acquire a`, []string{"[1 5]"}},
		{"one order", `
			g1 acquire a
			g1 acquire b
			g1 release b
			g1 release a
			g2 acquire a
			g2 acquire b`, nil},
		{"given back by another goroutine", `
			g1 acquire a
			g3 release a
			g1 acquire b
			g1 release b
			g2 acquire b
			g2 acquire a`, nil},
		{"one goroutine", `
			g1 acquire a
			g1 acquire b
			g1 release b
			g1 release a
			g1 acquire b
			g1 acquire a`, nil},
		{"sections that keep their order (K5)", `
			g1 acquire a
			g1 acquire b hard
			g1 release b
			g1 release a
			g2 acquire b unseen
			g2 acquire a`, nil},
		{"a section that may begin earlier", `
			g1 acquire a
			g1 acquire b hard
			g1 release b
			g1 release a
			g2 acquire b
			g2 acquire a`, []string{"[1 5]"}},
		{"sections that keep their order, as the later one is hard", `
			g1 acquire a
			g1 acquire b
			g1 release b
			g1 release a
			g2 acquire b hard
			g2 acquire a`, nil},
		{"an order that the cycle keeps", `
			g1 acquire a hard
			g1 acquire b
			g1 release b
			g1 release a
			g2 acquire b
			g2 acquire a hard`, []string{"[1 5]"}},
		{"a gate (K3)", `
			g1 acquire gate
			g1 acquire a
			g1 acquire b
			g1 release b
			g1 release a
			g1 release gate
			g2 acquire gate
			g2 acquire b
			g2 acquire a`, nil},
		{"a gate that both only read", `
			g1 racquire gate
			g1 acquire a
			g1 acquire b
			g1 release b
			g1 release a
			g1 rrelease gate
			g2 racquire gate
			g2 acquire b
			g2 acquire a`, []string{"[2 8]"}},
		{"three", `
			g1 acquire a
			g1 acquire b
			g1 release b
			g1 release a
			g2 acquire b
			g2 acquire c
			g2 release c
			g2 release b
			g3 acquire c
			g3 acquire a`, []string{"[1 5 9]"}},
		{"one only tries", `
			g1 acquire a
			g1 acquire b
			g1 release b
			g1 release a
			g2 acquire b
			g2 acquire a tried`, nil},
		{"both read one of the locks", `
			g1 acquire a
			g1 racquire b
			g1 rrelease b
			g1 release a
			g2 racquire b
			g2 acquire a`, nil},
		{"it reads again (K4), the writer comes later", `
			g1 racquire a
			g1 racquire a
			g1 rrelease a
			g1 rrelease a
			g2 acquire a`, []string{"[1 4]"}},
		{"it reads again, the writer came before", `
			g2 acquire a
			g2 release a
			g1 racquire a
			g1 racquire a`, []string{"[0 3]"}},
		{"a lock lies where another one lay", `
			g1 acquire 0x10
			g1 acquire 0x20
			g1 release 0x20
			g1 release 0x10
			g3 alloc 0x18:16
			g2 acquire 0x20
			g2 acquire 0x10
			g2 release 0x10
			g2 release 0x20`, nil},
		{"other memory is used anew", `
			g1 acquire 0x10
			g1 acquire 0x20
			g1 release 0x20
			g1 release 0x10
			g3 alloc 0x28:16
			g2 acquire 0x20
			g2 acquire 0x10
			g2 release 0x10
			g2 release 0x20`, []string{"[1 6]"}},
		{"a lock that is read lies where another one was written", `
			g2 acquire 0x10
			g2 release 0x10
			g3 alloc 0x10:8
			g1 racquire 0x10
			g1 racquire 0x10`, nil},
		{"a lock is written where another one was read", `
			g1 racquire 0x10
			g1 racquire 0x10
			g1 rrelease 0x10
			g1 rrelease 0x10
			g3 alloc 0x10:8
			g2 acquire 0x10
			g2 release 0x10`, nil},
		{"the goroutine itself writes", `
			g1 acquire a
			g1 release a
			g1 racquire a
			g1 racquire a`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			evs, err := trace.Parse(test.trace)
			require.NoError(t, err)
			var got []string
			p := deadlock.New(predict.Config{}, func(c predict.Candidate) {
				var at []trace.Seq
				for _, e := range c.Events {
					at = append(at, e.Seq)
				}
				got = append(got, fmt.Sprint(at))
			})
			for i := range evs {
				p.Event(trace.Seq(i), &evs[i])
			}
			require.Equal(t, test.want, got)
		})
	}
}

// feeder gives a predictor acquisitions and releases.
type feeder struct {
	*deadlock.Predictor
	seq trace.Seq
}

func (f *feeder) do(g trace.G, k trace.Kind, locks ...trace.Addr) {
	for _, l := range locks {
		f.give(trace.Event{Kind: k, G: g, Addr: l, Site: 1})
	}
}

func (f *feeder) give(ev trace.Event) {
	f.Event(f.seq, &ev)
	f.seq++
}

// TestForgets: the oldest nodes make room for others, and the others are found.
func TestForgets(t *testing.T) {
	found := 0
	p := feeder{Predictor: deadlock.New(predict.Config{Memory: 64 << 10}, func(predict.Candidate) { found++ })}
	orders := func(a, b trace.Addr) {
		p.do(1, trace.Acquire, a, b)
		p.do(1, trace.Release, b, a)
		p.do(2, trace.Acquire, b, a)
		p.do(2, trace.Release, a, b)
	}
	for i := range trace.Addr(1000) {
		orders(0x1000+16*i, 0x1008+16*i)
	}
	require.Equal(t, 1000, found)
	require.Less(t, p.Stats().Memory, 128<<10)
	require.NotZero(t, p.Rules()[1].Fired)
}

// TestForgetsLocks: of many locks without an order, only those are forgotten that no node and no
// goroutine has.
func TestForgetsLocks(t *testing.T) {
	var found []predict.Candidate
	p := feeder{Predictor: deadlock.New(predict.Config{}, func(c predict.Candidate) { found = append(found, c) })}
	const a, b, held, written = 0x10, 0x20, 0x30, 0x40
	p.do(3, trace.Acquire, held)
	p.do(5, trace.Acquire, written)
	p.do(5, trace.Release, written)
	p.do(1, trace.Acquire, a, b)
	p.do(1, trace.Release, b, a)
	for i := range trace.Addr(100_000) {
		p.give(trace.Event{Kind: trace.Acquire, Flags: trace.FlagTried, G: 4, Addr: 0x1000 + 1000*i, Site: 1})
		p.do(4, trace.Release, 0x1000+1000*i)
	}
	require.Less(t, p.Stats().Memory, 4<<20)
	p.do(3, trace.Acquire, b)
	p.do(3, trace.Release, b)
	require.Empty(t, found)
	p.do(2, trace.Acquire, b, a)
	p.do(2, trace.Release, a)
	require.Len(t, found, 1)
	p.do(2, trace.Acquire, held)
	require.Len(t, found, 2)
	p.do(6, trace.RAcquire, written, written)
	require.Len(t, found, 3)
}

// TestForgetsWriters: of very many locks that are read, the latest ones are known.
func TestForgetsWriters(t *testing.T) {
	found := 0
	p := feeder{Predictor: deadlock.New(predict.Config{}, func(predict.Candidate) { found++ })}
	const locks = 20_000
	for i := range trace.Addr(locks) {
		lock := 0x1000 + 0x100*i
		p.do(1, trace.RAcquire, lock)
		p.do(1, trace.RRelease, lock)
		p.do(2, trace.Acquire, lock)
		p.do(2, trace.Release, lock)
		p.do(1, trace.RAcquire, lock, lock)
		p.do(1, trace.RRelease, lock, lock)
	}
	require.Equal(t, locks, found)
	require.Less(t, p.Stats().Memory, 8<<20)
}

// TestHandedOver: sections that another goroutine ends are over. If they were kept, each
// acquisition would look at all of them.
func TestHandedOver(t *testing.T) {
	p := deadlock.New(predict.Config{}, func(c predict.Candidate) { t.Error(c) })
	const n = 100_000
	for i := range trace.Seq(n) {
		p.Event(2*i, &trace.Event{Kind: trace.RAcquire, G: 1, Addr: 8})
		p.Event(2*i+1, &trace.Event{Kind: trace.RRelease, G: 2, Addr: 8})
	}
	require.Less(t, p.Stats().Memory, 1<<20)
}

// TestFirstAndLatest is (K7), for two goroutines that go through the sections again and again
// before a third one closes the cycle.
func TestFirstAndLatest(t *testing.T) {
	const rounds = 3
	var found [][]trace.Seq
	p := feeder{Predictor: deadlock.New(predict.Config{}, func(c predict.Candidate) {
		var places []trace.Seq
		for _, e := range c.Events {
			places = append(places, e.Seq)
		}
		found = append(found, places)
	})}
	nested := func(g trace.G, outer, inner trace.Addr) (wants trace.Seq) {
		p.do(g, trace.Acquire, outer, inner)
		p.do(g, trace.Release, inner, outer)
		return p.seq - 3
	}
	var ab, bc [rounds]trace.Seq
	for i := range rounds {
		ab[i], bc[i] = nested(1, 1, 2), nested(2, 2, 3)
	}
	ca := nested(3, 3, 1)
	require.Equal(t, [][]trace.Seq{{ab[rounds-1], bc[rounds-1], ca}, {ab[0], bc[0], ca}}, found)
}
