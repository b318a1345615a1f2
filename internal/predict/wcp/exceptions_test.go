package wcp

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// TestAPageIsItsWords: an access of more than a page orders, and conflicts with, what as many
// accesses of its words do, also when parts of the memory are used anew in between.
func TestAPageIsItsWords(t *testing.T) {
	const base, words, learns = 0x10000, 3 * shadow.PageWords, 1000
	proposed, pierced := 0, 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 11))
		racing := func() (*Predictor, map[trace.Site]bool) { // the accesses that race with one before them, see shadow/A1
			got := map[trace.Site]bool{}
			return New(predict.Config{}, func(c predict.Candidate) { got[c.Last().Ev.Site] = c.Last().Ev.Site < learns }), got
		}
		whole, got := racing()
		single, want := racing()
		seq := trace.Seq(0)
		var held [4]trace.Addr
		both := func(ev trace.Event) {
			seq++
			whole.Event(seq, &ev)
			defer func() {
				a, b := whole.of(ev.G), single.of(ev.G)
				for slot := range vclock.Slot(len(held)) {
					require.Equal(t, b.Known.At(slot), a.Known.At(slot), "seed %d: what %v lets goroutine %d know", seed, ev, ev.G)
				}
			}()
			if !ev.Kind.Spec().Access {
				single.Event(seq, &ev)
				return
			}
			for _, site := range []trace.Site{ev.Site + learns, ev.Site} { // it learns from what was done to all of its words before it is checked
				for at, end := ev.Addr, ev.Addr+trace.Addr(ev.Size); at < end; {
					next := min(at&^7+8, end)
					part := ev
					part.Addr, part.Size, part.Site = at, uint32(next-at), site
					single.Event(seq, &part)
					at = next
				}
			}
		}
		for n := range 400 {
			g := rng.IntN(len(held))
			ev := trace.Event{G: trace.G(g + 1), Site: trace.Site(n + 1), Kind: trace.Read}
			if rng.IntN(2) == 0 {
				ev.Kind = trace.Write
			}
			at := trace.Addr(base + 8*(shadow.PageWords-1) + rng.IntN(3)*8 + rng.IntN(2)*8*(shadow.PageWords-1))
			switch op := rng.IntN(10); {
			case op < 4 && held[g] == 0:
				lock := trace.Addr(8 + 8*rng.IntN(3))
				if lock == held[0] || lock == held[1] || lock == held[2] || lock == held[3] {
					continue
				}
				held[g] = lock
				both(trace.Event{G: ev.G, Kind: trace.Acquire, Addr: lock})
			case op < 4:
				both(trace.Event{G: ev.G, Kind: trace.Release, Addr: held[g]})
				held[g] = 0
			case op < 6:
				ev.Addr, ev.Size = base+trace.Addr(rng.IntN(8)*shadow.PageWords), uint32(shadow.PageWords*8+4*rng.IntN(2*shadow.PageWords))
				both(ev)
			case op < 8:
				ev.Addr, ev.Size = at+trace.Addr(4*rng.IntN(2)), uint32(4<<rng.IntN(2))
				both(ev)
			default:
				both(trace.Event{G: ev.G, Kind: trace.Alloc, Addr: at + trace.Addr(4*rng.IntN(2)), Size: uint32(4 << rng.IntN(9))})
				for w := shadow.Word(base >> 3); w < base>>3+words; w++ {
					if lists, _ := whole.marks.locks.Lists(w); whole.marks.wide > 0 && lists != nil && !whole.marks.wholePages(w) {
						pierced++
						break
					}
				}
			}
		}
		maps.DeleteFunc(want, func(_ trace.Site, races bool) bool { return !races })
		require.Equal(t, want, got, "seed %d", seed)
		proposed += len(got)
	}
	require.NotZero(t, proposed)
	require.NotZero(t, pierced)
}
