package engine

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

// TestWindowKeepsEvents: what is taken apart comes back as it was, every field of it, whatever else
// is in its chunk, and after the chunk was used for older events.
func TestWindowKeepsEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	few := rng.Perm(300)
	event := func() (ev trace.Event) {
		fields := reflect.ValueOf(&ev).Elem()
		for i := range fields.NumField() {
			if f := fields.Field(i); f.CanSet() && f.CanUint() { // Alone is not asked for again
				switch rng.IntN(3) {
				case 0:
					f.SetUint(uint64(few[rng.IntN(2)]))
				case 1:
					f.SetUint(rng.Uint64() >> (64 - f.Type().Bits()))
				}
			}
		}
		return ev
	}
	w := window{limit: 3 * chunkEvents}
	var want []trace.Event
	var depths []int
	for n := range 5*chunkEvents + 100 {
		ev := event()
		if n > 0 && rng.IntN(3) > 0 { // one field changes
			ev = want[n-1]
			to, from := reflect.ValueOf(&ev).Elem(), event()
			if i := rng.IntN(to.NumField()); to.Field(i).CanSet() && to.Field(i).CanUint() {
				to.Field(i).Set(reflect.ValueOf(from).Field(i))
			}
		}
		depth := rng.IntN(3) * rng.IntN(200)
		want, depths = append(want, ev), append(depths, depth)
		w.add(&ev, depth)
	}
	require.Len(t, w.chunks, 3)
	require.Positive(t, w.first)
	for seq := w.first; seq < w.next(); seq++ {
		ev, depth := w.at(seq)
		require.Equal(t, want[seq], ev)
		require.Equal(t, min(depths[seq], 255), depth)
	}
	require.Equal(t, want[w.first+5:], w.copy(w.first+5, w.next()))
}
