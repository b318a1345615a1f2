//go:build unix

package predictors_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/trace"
)

// outside makes memory outside of the heap, where the collector does not look.
type outside struct{ left []byte }

func (o *outside) make(bytes uintptr) unsafe.Pointer {
	bytes = (bytes + 7) &^ 7
	if uintptr(len(o.left)) < bytes {
		var err error
		if o.left, err = syscall.Mmap(-1, 0, max(int(bytes), 64<<20), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE); err != nil {
			panic(err)
		}
	}
	at := o.left
	o.left = o.left[bytes:]
	return unsafe.Pointer(unsafe.SliceData(at))
}

// collect frees what is garbage, and writes over it.
func collect() {
	runtime.GC()
	for range 64 {
		for size := 16; size <= 4096; size *= 2 {
			b := make([]byte, size)
			for i := range b {
				b[i] = 0xdb
			}
			runtime.KeepAlive(b)
		}
	}
}

// TestArena: predictors that keep what they know in memory that the collector does not look at,
// next to a collector that frees what only such memory refers to, find what they find on the heap.
// The run has the goroutines of many random traces, one after the other, which use the same memory
// again.
func TestArena(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			find := func(a predict.Arena) (list []string) {
				rng := rand.New(rand.NewPCG(seed, 11))
				memory := 0
				if seed%2 == 1 {
					memory = 1 << 24
				}
				p, err := predictors.New(nil, predict.Config{Memory: memory, Arena: a}, func(c predict.Candidate) {
					list = append(list, fmt.Sprint(c.By, c.Goal, c.Standing, c.Events))
				})
				require.NoError(t, err)
				seq := trace.Seq(0)
				event := func(ev trace.Event) {
					p.Event(seq, &ev)
					seq++
				}
				for round := range trace.G(150) {
					f := oracle.All
					f.Lists = round%2 == 0
					names := func(g trace.G) trace.G { return 1 + 8*round + g }
					at := map[bool]trace.Addr{true: trace.Addr(round) << 16}[rng.IntN(3) == 0] // used once, or again
					for _, ev := range oracle.Random(rng, 150, f) {
						ev.G = names(ev.G)
						if k := ev.Kind; k == trace.Fork || k == trace.Join {
							ev.Other = uint32(names(trace.G(ev.Other)))
						}
						if ev.Addr != 0 {
							ev.Addr += at
						}
						ev.Site = trace.Site(1 + rng.IntN(50))
						event(ev)
					}
					if rng.IntN(2) == 0 {
						event(trace.Event{Kind: trace.Alloc, G: names(1), Addr: at + 8, Size: 1 << 12})
					}
					if a != nil {
						collect()
					}
				}
				return list
			}
			want := find(nil)
			var o outside
			require.Equal(t, want, find(o.make))
			require.NotEmpty(t, want)
			t.Logf("%d candidates", len(want))
		})
	}
}
