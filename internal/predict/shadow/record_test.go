package shadow

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// someSlots are slots 0 to 7.
func someSlots() (s vclock.Slots) {
	for range 8 {
		s.New()
	}
	return s
}

func TestRecordBytes(t *testing.T) {
	require.EqualValues(t, RecordBytes, unsafe.Sizeof(node[record]{}))
	require.LessOrEqual(t, unsafe.Sizeof(span{}), uintptr(RecordBytes), "a span counts as a record")
	require.LessOrEqual(t, unsafe.Sizeof(page{}), uintptr(pageBytes))
	require.LessOrEqual(t, unsafe.Sizeof(dir{}), uintptr(dirBytes))
}

// TestRecordsSayWhatWas: what a record gives out is the access that went in, whatever its size and
// place.
func TestRecordsSayWhatWas(t *testing.T) {
	var acc Accesses
	slots := someSlots()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		acc.Forget(0, 1<<16)
		first := trace.Event{
			Kind: trace.Kind(rng.IntN(2)) + trace.Read, Flags: trace.Flags(rng.IntN(8)), G: trace.G(rng.Uint32()), Addr: 4096 + trace.Addr(rng.IntN(1000)),
			Size: []uint32{1, 2, 4, 8, 3, 16, 100, 9000}[rng.IntN(8)], Site: trace.Site(rng.Uint32()), Stack: trace.Stack(rng.Uint32()),
		}
		second := trace.Event{Kind: trace.Write, G: first.G + 1, Addr: first.Addr + trace.Addr(first.Size) - 1, Size: 1}
		seq := trace.Seq(i) << 25
		require.Empty(t, acc.Check(seq, &first, &Actor{Slot: 3, Now: 5, Slots: &slots}))
		races := acc.Check(seq+1, &second, &Actor{Slot: 4, Now: 1, Slots: &slots})
		require.Equal(t, []Record{{seq, first, 3, 5}}, races)
	}
}

// TestSpansGo: what a wide access needs goes with its last record.
func TestSpansGo(t *testing.T) {
	acc := Accesses{Table: Table[record]{Limit: 2000}}
	slots := someSlots()
	for i := range 3000 { // pages go for want of room, and because of newer accesses
		ev := trace.Event{Kind: trace.Write, G: 1, Addr: trace.Addr(i%1000) << 13, Size: 24 << (i % 10)}
		acc.Check(trace.Seq(i), &ev, &Actor{Now: vclock.Time(i + 1), Slots: &slots})
		require.LessOrEqual(t, acc.Extra, acc.Live())
	}
	require.NotZero(t, acc.Evicted)
	acc.Forget(0, 1<<30)
	require.Zero(t, acc.Live())
	require.Zero(t, acc.Extra)
	require.LessOrEqual(t, len(acc.spans.chunks), 2000/spanChunk+1)
}

// TestPlacesDoNotComeAgain: when the places in the trace have no room any more, what was before is
// forgotten, and counted.
func TestPlacesDoNotComeAgain(t *testing.T) {
	var acc Accesses
	slots := someSlots()
	write := func(seq trace.Seq, slot vclock.Slot) []Record {
		ev := trace.Event{Kind: trace.Write, G: trace.G(slot), Addr: 64, Size: 8}
		return acc.Check(seq, &ev, &Actor{Slot: slot, Now: 1, Slots: &slots})
	}
	const last = 1<<seqBits - 1
	require.Empty(t, write(last-1, 1))
	require.Equal(t, trace.Seq(last-1), write(last, 2)[0].Seq)
	require.Zero(t, acc.Evicted)
	require.Empty(t, write(last+1, 3))
	require.EqualValues(t, 1, acc.Evicted)
	require.Equal(t, trace.Seq(last+1), write(last+2, 4)[0].Seq)
}
