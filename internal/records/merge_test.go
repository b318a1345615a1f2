package records

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

// FuzzMerge reads the bytes as what goroutines do, publish and merge, and holds the stream to (D1),
// (D2) and (D3). Each record has an address of its own.
func FuzzMerge(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		b := make([]byte, 4+n*5)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		type made struct {
			g        uint32
			ticketed bool
			stamp    uint64
		}
		var (
			rec    recorder
			events []trace.Event
			nexts  []uint64 // the ticket that was to come next, by event
			done   []made   // by address, less base
			freed  int
		)
		const base = 1 << 20
		m := Merger{Free: func(*Chunk) { freed++ }}
		c := converting(&events)
		c.take = func(ev *trace.Event) { events, nexts = append(events, *ev), append(nexts, c.next) }
		rec.start()
		for ; len(b) >= 2; b = b[2:] {
			g := rec.gs[int(b[1])%len(rec.gs)]
			switch b[0] % 16 {
			case 0:
				if len(rec.gs) < 40 {
					rec.fork(g)
				}
			case 1:
				g.publish(len(g.late))
			case 2:
				g.publish(len(g.late) / 2)
			case 3:
				rec.merge(&m, c, 0)
			case 4, 5, 6, 7, 8:
				done = append(done, made{g.id, true, rec.tickets})
				rec.ticketed(g, rpReleaseMerge, base+8*uint64(len(done)), 0)
			default:
				done = append(done, made{g.id, false, rec.tickets})
				rec.plain(g, rpRead, base+8*uint64(len(done)), 8)
			}
		}
		rec.publishAll()
		require.True(t, rec.merge(&m, c, 0), "nothing is missing")

		at := map[uint32]uint64{} // what the stamp of each goroutine's next record may not be below
		seen := 0
		for i := range events {
			ev := &events[i]
			if ev.Addr < base {
				continue
			}
			seen++
			d := done[(ev.Addr-base)/8-1]
			require.Equal(t, trace.G(d.g), ev.G)
			require.GreaterOrEqual(t, d.stamp, at[d.g], "(D3)")
			at[d.g] = d.stamp
			if d.ticketed {
				require.Equal(t, d.stamp+1, nexts[i], "(D1)")
				at[d.g]++
			} else {
				require.GreaterOrEqual(t, nexts[i], d.stamp, "(D2)")
			}
		}
		require.Equal(t, len(done), seen)
		left, chunks := 0, 0
		for _, g := range rec.gs {
			require.Equal(t, Position{g.chunk, g.chunk.n}, g.read, "all is read")
			left++
			chunks += g.chunks
		}
		require.Equal(t, chunks-left, freed, "all chunks are freed but those that are written")
	})
}

func TestMergeWaitsForAMissingTicket(t *testing.T) {
	var rec recorder
	var events []trace.Event
	m := Merger{Free: func(*Chunk) {}}
	c := converting(&events)
	one, two := rec.start(), rec.start()
	rec.ticketed(one, rpReleaseMerge, 0x1000, 0) // not published until later
	rec.ticketed(two, rpReleaseMerge, 0x2000, 0)
	two.publish(1)
	require.False(t, rec.merge(&m, c, 0))
	require.Empty(t, events)
	one.publish(1)
	require.True(t, rec.merge(&m, c, 0))
	require.Equal(t, []trace.Addr{0x1000, 0x2000}, addresses(events))
}

func TestMergeEndsWhereRecordsAreLost(t *testing.T) {
	var rec recorder
	var events []trace.Event
	m := Merger{Free: func(*Chunk) {}}
	c := converting(&events)
	g := rec.start()
	for i := range 10 {
		rec.ticketed(g, rpReleaseMerge, 0x1000+8*uint64(i), 0)
	}
	rec.publishAll()
	require.True(t, rec.merge(&m, c, 6))
	require.True(t, c.Lost())
	require.Len(t, events, 5)
}

func TestDiscardFreesChunks(t *testing.T) {
	var rec recorder
	freed := 0
	m := Merger{Free: func(*Chunk) { freed++ }}
	g := rec.start()
	for range 3*rpChunkLen + 1 {
		rec.plain(g, rpRead, 0x1000, 8)
	}
	rec.publishAll()
	m.Begin(rec.tickets)
	m.Add(g.id, g.read, Position{g.chunk, g.chunk.n})
	m.Discard()
	require.Equal(t, Position{g.chunk, 1}, m.Left(0))
	require.Equal(t, 3, freed)
}

// More records than the table has places for.
func TestMergeLongerThanItsTable(t *testing.T) {
	var rec recorder
	var events []trace.Event
	m := Merger{Free: func(*Chunk) {}}
	c := converting(&events)
	one, two := rec.start(), rec.start()
	want := []trace.Addr{}
	for i := range uint64(5 * minPlaces) {
		g := one
		if i%3 == 0 {
			g = two
		}
		rec.ticketed(g, rpReleaseMerge, 0x1000+8*i, 0)
		want = append(want, trace.Addr(0x1000+8*i))
	}
	rec.publishAll()
	require.True(t, rec.merge(&m, c, 0))
	require.True(t, slices.Equal(want, addresses(events)))
}

func addresses(events []trace.Event) (list []trace.Addr) {
	for i := range events {
		list = append(list, events[i].Addr)
	}
	return list
}
