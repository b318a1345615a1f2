package shadow_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict/shadow"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

func TestMaskOf(t *testing.T) {
	for _, c := range []struct {
		addr trace.Addr
		size uint32
		want shadow.Mask
	}{
		{16, 8, 0xff}, {16, 1, 0x01}, {20, 4, 0xf0}, {19, 2, 0x18}, {8, 9, 0x01}, {23, 100, 0x80}, {0, 1000, 0xff},
	} {
		require.Equal(t, c.want, shadow.MaskOf(2, c.addr, c.size), "%v", c)
	}
}

func TestTableKeepsToItsLimit(t *testing.T) {
	dropped := 0
	tab := shadow.Table[int]{Limit: 5000, Drop: func(shadow.Word, *int) { dropped++ }}
	for i := range 10_000 {
		tab.Add(shadow.Word(i*7), i)
		require.LessOrEqual(t, tab.Counted(), 5000+512)
	}
	require.Greater(t, tab.Live(), 2000)
	require.Equal(t, 10_000-tab.Live(), dropped)
	require.NotZero(t, tab.Evicted)
	list, _ := tab.Lists(9999 * 7)
	rec, _ := tab.At(*list)
	require.Equal(t, 9999, *rec, "the oldest pages go")
	list, _ = tab.Lists(0)
	require.Nil(t, list)
}

func TestClearPiercesAPage(t *testing.T) {
	const first = 8 * shadow.PageWords // of the page
	var tab shadow.Table[shadow.Mask]
	forget := func(_ shadow.Word, m *shadow.Mask, bytes shadow.Mask) bool {
		*m &^= bytes
		return *m != 0
	}
	at := func(w shadow.Word) (all []shadow.Mask, whole bool) {
		list, wide := tab.Lists(w)
		for *list != 0 {
			rec, next := tab.At(*list)
			all = append(all, *rec)
			list = next
		}
		return all, wide != nil
	}
	has := func(w shadow.Word, whole bool, want ...shadow.Mask) {
		t.Helper()
		got, wide := at(w)
		require.Equal(t, want, got)
		require.Equal(t, whole, wide)
		require.Equal(t, whole, tab.Covers(w))
	}
	tab.Add(shadow.Whole(first), 0xff)
	tab.Add(first+40, 0x0f)
	tab.Clear(8*(first+40)+2, 4, forget) // a part of a word: it alone gets a record of its own
	require.Equal(t, 3, tab.Live())
	has(first+40, false, 0b11000011, 0b00000011)
	has(first+41, true)
	tab.Clear(8*(first+42), 16, forget) // whole words: none do
	require.Equal(t, 3, tab.Live())
	has(first+42, false)
	has(first+43, false)
	has(first+44, true)

	tab.Add(shadow.Whole(first), 0x7f) // covers all words, so that the exceptions get records of their own
	require.Equal(t, 1+2+shadow.PageWords-3, tab.Live())
	has(first+40, true, 0b11000011, 0b00000011)
	has(first+42, true)
	has(first+44, true, 0xff)

	for w := range shadow.Word(shadow.PageWords) { // until nothing is left to speak for
		tab.Clear(trace.Addr(first+w)*8, 8, forget)
	}
	require.Zero(t, tab.Live())
	tab.Add(shadow.Whole(first), 0xff)
	has(first+40, true)
	tab.Clear(0, 1<<20, func(shadow.Word, *shadow.Mask, shadow.Mask) bool { return false })
	require.Zero(t, tab.Live())
}

// TestWideAccessesAreCheap: ten thousand copies of a megabyte keep one record a page.
func TestWideAccessesAreCheap(t *testing.T) {
	var acc shadow.Accesses
	var slots vclock.Slots
	for i := range 10_000 {
		ev := trace.Event{Kind: trace.Write, G: 1, Addr: 0x100000, Size: 1 << 20}
		acc.Check(trace.Seq(i), &ev, &shadow.Actor{Now: vclock.Time(i + 1), Slots: &slots})
	}
	require.Equal(t, 1<<20/8/shadow.PageWords, acc.Live())
}

// TestWideAccessesTakeLittleMemory: pages that were only accessed as a whole have no lists for
// their words.
func TestWideAccessesTakeLittleMemory(t *testing.T) {
	var acc shadow.Accesses
	var slots vclock.Slots
	taken := 0
	var kept [][]uint64
	acc.Arena = func(bytes uintptr) unsafe.Pointer {
		taken += int(bytes)
		kept = append(kept, make([]uint64, (bytes+7)/8))
		return unsafe.Pointer(unsafe.SliceData(kept[len(kept)-1]))
	}
	const size = 16 << 20
	acc.Check(0, &trace.Event{Kind: trace.Write, G: 1, Addr: 0x100000, Size: size}, &shadow.Actor{Now: 1, Slots: &slots})
	require.Less(t, taken, size/4)
	acc.Check(1, &trace.Event{Kind: trace.Write, G: 1, Addr: 0x100008, Size: size / 2}, &shadow.Actor{Now: 2, Slots: &slots})
	require.Less(t, taken, size/4, "only the pages at its ends")
	runtime.KeepAlive(kept)
}

func BenchmarkCheck(b *testing.B) {
	for name, size := range map[string]uint32{"bytes=8": 8, "bytes=64": 64, "bytes=65536": 1 << 16} {
		b.Run(name, func(b *testing.B) {
			var acc shadow.Accesses
			var slots vclock.Slots
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for i := 0; b.Loop(); i++ {
				ev := trace.Event{Kind: trace.Write, G: 1, Addr: 0x100000 + 8*trace.Addr(i%1000), Size: size}
				acc.Check(trace.Seq(i), &ev, &shadow.Actor{Now: vclock.Time(i + 1), Slots: &slots})
			}
		})
	}
}

// TestSweep: what is not kept is gone, and so are pages that are left without records, and nothing
// else.
func TestSweep(t *testing.T) {
	dropped := map[int]shadow.Word{}
	tab := shadow.Table[int]{Drop: func(w shadow.Word, n *int) { dropped[*n] = w }}
	where := map[int]shadow.Word{}
	for n := range 3000 {
		w := shadow.Word(n / 2 * 5)
		if n%7 == 0 {
			w = shadow.Whole(w)
		}
		where[n] = w
		tab.Add(w, n)
	}
	pages := tab.Pages()
	keep := func(n int) bool { return n%3 == 0 && n >= 1500 }
	tab.Sweep(func(w shadow.Word, n *int, _ shadow.Mask) bool {
		require.Equal(t, where[*n], w)
		return keep(*n)
	})
	for n, w := range where {
		if keep(n) {
			require.Zero(t, dropped[n])
			continue
		}
		require.Equal(t, w, dropped[n])
	}
	require.Equal(t, 2500, len(dropped))
	require.Equal(t, 500, tab.Live())
	require.Less(t, tab.Pages(), pages*6/10)
	tab.Add(8, 3000)
	tab.DropAll()
	require.Zero(t, tab.Live())
	require.Equal(t, 3001, len(dropped))
}
