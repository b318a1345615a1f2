package hb_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/trace"
)

// plain is happens-before by its definition: all accesses, and what each goroutine knows of each.
type plain struct {
	known   [][]int // by goroutine
	objects [][]int
	done    []access
}

type access struct {
	ev    trace.Event
	g, at int
}

func join(a, b []int) {
	for i := range b {
		a[i] = max(a[i], b[i])
	}
}

// TestWhatIsForgottenIsLocal has very many goroutines access few words of many pages, with room for
// few records, and compares what is said to be uncertain with the definition. Whatever races is
// uncertain from its later access on. What is uncertain and does not race is some of it, and not
// for good.
func TestWhatIsForgottenIsLocal(t *testing.T) {
	racing, raced, forgotten, certain := 0, 0, 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		goroutines := 100
		if seed%3 == 0 {
			goroutines = 5
		}
		pages := 1 + int(seed%2)*150
		cfg := predict.Config{}
		if pages > 1 {
			cfg.Memory = 60 << 10
		}
		p := hb.New(cfg, func(predict.Candidate) {})
		h := plain{}
		for range goroutines {
			h.known = append(h.known, make([]int, goroutines))
		}
		for range 3 {
			h.objects = append(h.objects, make([]int, goroutines))
		}
		quiet := rng.IntN(2) == 0
		for seq := range trace.Seq(3000) {
			g := rng.IntN(goroutines)
			ev := trace.Event{G: trace.G(g + 1), Kind: trace.Read, Size: 8, Site: 1}
			h.known[g][g]++
			mine := h.known[g]
			switch o := rng.IntN(len(h.objects)); {
			case rng.IntN(3) == 0:
				ev.Kind, ev.Addr = trace.HardMerge, trace.Addr(0x10+8*o)
				join(h.objects[o], mine)
			case rng.IntN(3) == 0:
				ev.Kind, ev.Addr = trace.HardAcquire, trace.Addr(0x10+8*o)
				join(mine, h.objects[o])
			default:
				ev.Addr = trace.Addr(0x10000 + rng.IntN(pages)*4096 + 8*rng.IntN(2))
				ev.Size = 1 << rng.IntN(4)
				if rng.IntN(40) == 0 || !quiet && rng.IntN(4) == 0 {
					ev.Kind = trace.Write
				}
				if rng.IntN(4) == 0 {
					ev.Flags = trace.FlagAtomic
				}
			}
			p.Event(seq, &ev)
			if !ev.Kind.Spec().Access {
				continue
			}
			races := false
			for _, old := range h.done {
				races = races || trace.Conflict(&old.ev, &ev) && old.at > mine[old.g]
			}
			h.done = append(h.done, access{ev, g, mine[g]})
			doubt := p.Racy(ev.Addr, ev.Size, seq)
			if races {
				racing++
				require.NotEqual(t, hb.Certain, doubt, "seed %d: %v at %d", seed, ev, seq)
			}
			switch {
			case doubt == hb.Forgotten:
				forgotten++
			case doubt == hb.Raced:
				raced++
				require.True(t, races)
			default:
				certain++
			}
		}
	}
	t.Log(racing, raced, forgotten, certain)
	require.Greater(t, forgotten, 100)
	require.Greater(t, certain, 10_000)
}

// TestManyReadersAreCertain has very many goroutines read what one wrote before: each is after the
// write, though not after the readers that are not remembered any more.
func TestManyReadersAreCertain(t *testing.T) {
	const x, object = 0x10000, 0x10
	seq := trace.Seq(0)
	p := hb.New(predict.Config{}, func(predict.Candidate) {})
	do := func(k trace.Kind, g trace.G, a trace.Addr) hb.Doubt {
		p.Event(seq, &trace.Event{Kind: k, G: g, Addr: a, Size: 8, Site: 1})
		seq++
		return p.Racy(a, 8, seq-1)
	}
	do(trace.Write, 1, x)
	do(trace.HardRelease, 1, object)
	for g := trace.G(2); g < 300; g++ {
		do(trace.HardAcquire, g, object)
		require.Equal(t, hb.Certain, do(trace.Read, g, x), g)
	}
	require.Equal(t, hb.Raced, do(trace.Read, 300, x), "it is not after the write")
	require.NotEqual(t, hb.Certain, do(trace.Write, 1, x), "it is not after the readers, remembered or not")
}
