package shadow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// TestWhatManyReadKeepsItsRecords: the places of readers that another one stands for are taken by
// the next readers, unless there are none.
func TestWhatManyReadKeepsItsRecords(t *testing.T) {
	const readers, words = 8, 100
	var acc Accesses
	var pool vclock.Pool
	slots := someSlots()
	var known vclock.Clock
	now := vclock.Time(0)
	read := func(kind trace.Kind, slot vclock.Slot) {
		for w := range trace.Addr(words) {
			ev := trace.Event{Kind: kind, G: trace.G(slot) + 1, Addr: 8 * w, Size: 8}
			require.Empty(t, acc.Check(0, &ev, &Actor{Slot: slot, Now: now, Known: known, Slots: &slots}))
		}
	}
	round := func() {
		now++
		for s := range vclock.Slot(readers) {
			read(trace.Read, s)
		}
		for s := range vclock.Slot(readers) { // they are joined
			known.Raise(&pool, s, now)
		}
	}
	for range 5 {
		round()
		require.Equal(t, readers*words, acc.Live())
	}
	for left := readers; left > 2; left-- { // one reader does not need the others' places
		now++
		read(trace.Read, 0)
		require.GreaterOrEqual(t, acc.Live(), words)
	}
	require.LessOrEqual(t, acc.Live(), 3*words)
	round()
	now++
	read(trace.Write, 0)
	require.Equal(t, words, acc.Live(), "a write empties all")
}

// emptied has so many goroutines read a word that do not know of each other, and one that knows of
// all of them read it after that.
func emptied(t *testing.T, readers int) *Accesses {
	acc := &Accesses{}
	var pool vclock.Pool
	var slots vclock.Slots
	var known vclock.Clock
	for s := range vclock.Slot(readers) {
		slots.New()
		ev := trace.Event{Kind: trace.Read, G: trace.G(s) + 1, Addr: 8, Size: 8}
		acc.Check(0, &ev, &Actor{Slot: s, Now: 1, Slots: &slots})
	}
	require.Equal(t, readers, acc.Live())
	for s := range vclock.Slot(readers) {
		known.Raise(&pool, s, 1)
	}
	ev := trace.Event{Kind: trace.Read, G: 1, Addr: 8, Size: 8}
	require.Empty(t, acc.Check(0, &ev, &Actor{Slot: 0, Now: 2, Known: known, Slots: &slots}))
	return acc
}

// TestAWordKeepsFewEmptyRecords: of very many readers, the places of some.
func TestAWordKeepsFewEmptyRecords(t *testing.T) {
	require.Equal(t, 1+keepEmpty, emptied(t, maxRecords).Live())
}

// TestFewReadersLeaveNoPlaces: a read that empties fewer than four records keeps none of them.
func TestFewReadersLeaveNoPlaces(t *testing.T) {
	for readers := 2; readers <= minEmpty; readers++ {
		want := 1
		if readers == minEmpty {
			want = readers
		}
		require.Equal(t, want, emptied(t, readers).Live(), "%d readers", readers)
	}
}
