package vclock

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClocksAgainstMaps runs random operations on clocks and on plain maps.
func TestClocksAgainstMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		// The slots of a round: near ones, those around the ends of leaves and branches, or both.
		slots := []Slot{0, 1, 2, 3, 5, 8, 9, 17, 31, 39}
		if round%3 == 0 && round%2 == 0 {
			slots = slots[:5] // so few that most vectors are brief
		}
		if round%3 > 0 {
			slots = []Slot{0, 3, 63, 64, 65, 127, 128, 200, 1087, 1088, 1089, 9000, 65_000}[round%3-1:]
		}
		var p Pool
		clocks := make([]Sum, 4)
		plain := make([]map[Slot]Time, 4)
		for i := range plain {
			plain[i] = map[Slot]Time{}
		}
		type kept struct {
			v    *Vec
			n    int // counts
			want map[Slot]Time
		}
		var snaps []kept
		for range 100 {
			i, j := rng.IntN(4), rng.IntN(4)
			switch rng.IntN(5) {
			case 0:
				s, n := slots[rng.IntN(len(slots))], Time(rng.IntN(9)+1)
				clocks[i].Raise(&p, s, n)
				plain[i][s] = max(plain[i][s], n)
			case 1:
				more := clocks[i].Join(&p, clocks[j].Vec(), NoOrders)
				for s, n := range plain[j] {
					require.True(t, more || plain[i][s] >= n, "a clock learned something and did not say so")
					plain[i][s] = max(plain[i][s], n)
				}
			case 2:
				c := map[Slot]Time{}
				for s, n := range plain[i] {
					c[s] = n
				}
				k := kept{clocks[i].Vec(), 1 + rng.IntN(2)*manyUsers, c}
				for range k.n {
					k.v.Hold()
				}
				snaps = append(snaps, k)
			case 3:
				if len(snaps) > 3 {
					k := rng.IntN(len(snaps))
					for range snaps[k].n {
						p.Drop(snaps[k].v)
					}
					snaps = append(snaps[:k], snaps[k+1:]...)
				}
			case 4:
				if len(snaps) > 0 {
					k := snaps[rng.IntN(len(snaps))]
					clocks[i].JoinStamp(&p, Stamp{k.v, 3, 5}, NoOrders)
					for s, n := range k.want {
						plain[i][s] = max(plain[i][s], n)
					}
					plain[i][3] = max(plain[i][3], 5)
				}
			}
			for k := range clocks {
				clocks[k].Vec().check(t)
				for _, s := range slots {
					require.Equal(t, plain[k][s], clocks[k].At(s))
					require.Zero(t, clocks[k].At(s+10_000))
					require.True(t, plain[k][s] == 0 || int(s) < clocks[k].Vec().Len())
				}
				covers := true
				for s, n := range plain[(k+1)%4] {
					covers = covers && plain[k][s] >= n
				}
				require.Equal(t, covers, clocks[k].Vec().Covers(clocks[(k+1)%4].Vec()))
			}
			for _, k := range snaps {
				k.v.check(t)
				for _, s := range slots {
					require.Equal(t, k.want[s], k.v.At(s), "a shared vector changed")
				}
			}
		}
		for i := range clocks {
			clocks[i].Reset(&p)
		}
		for _, k := range snaps {
			for range k.n {
				p.Drop(k.v)
			}
		}
		require.Zero(t, p.Live, "a count was lost")
	}
}

func TestCovers(t *testing.T) {
	var p Pool
	var a, b Clock
	a.Raise(&p, 2, 7)
	require.True(t, a.Vec().Covers(b.Vec()))
	require.False(t, b.Vec().Covers(a.Vec()))
	b.Raise(&p, 9, 1)
	require.False(t, a.Vec().Covers(b.Vec()))
	b.Join(&p, a.Vec(), NoOrders)
	require.True(t, b.Vec().Covers(a.Vec()))
}

func TestSlotsAreReusedOnlyWhenKnown(t *testing.T) {
	var p Pool
	var s Slots
	var known Clock
	a, from, _ := s.Take(nil)
	require.Equal(t, Time(1), from)
	s.Give(a, 7, 5)

	b, _, _ := s.Take(known.Vec())
	require.NotEqual(t, a, b, "nobody knew the end of the first owner")

	known.Raise(&p, a, 5)
	c, from, _ := s.Take(known.Vec())
	require.Equal(t, a, c)
	require.Equal(t, Time(8), from, "times of a slot go on")
	require.False(t, s.Stale(a, 1))
}

func TestSlotsByForce(t *testing.T) {
	s := Slots{Limit: 2}
	a, _, _ := s.Take(nil)
	b, _, _ := s.Take(nil)
	_, _, ok := s.Take(nil)
	require.False(t, ok, "all are alive")
	s.Give(b, 9, 9)
	d, from, ok := s.Take(nil)
	require.True(t, ok)
	require.Equal(t, b, d)
	require.Equal(t, Time(10), from)
	require.Equal(t, uint64(1), s.Forced)
	require.True(t, s.Stale(b, 9))
	require.False(t, s.Stale(b, 10))
	require.False(t, s.Stale(a, 1))
	require.False(t, s.Knows(nil, Stamp{nil, a, 1}))
	require.Equal(t, Slot(2), s.New())
}

// TestSlotsBeyondTheLimit: where all owners live on, one in 64 of those that come gets a slot.
func TestSlotsBeyondTheLimit(t *testing.T) {
	s := Slots{Limit: 2}
	got := 0
	for range 2 + 640 {
		if _, _, ok := s.Take(nil); ok {
			got++
		}
	}
	require.Equal(t, 2+10, got)
	require.Equal(t, 12, s.Count())
}

func TestSlotsFor(t *testing.T) {
	require.Equal(t, 1024, SlotsFor(0))
	require.Equal(t, 5792, SlotsFor(32<<20))
	require.Equal(t, DefaultSlots, SlotsFor(1<<40))
}

func BenchmarkJoin(b *testing.B) {
	for _, n := range []int{8, 64, 1024, 16384} {
		b.Run("slots="+strconv.Itoa(n), func(b *testing.B) {
			var p Pool
			var c, d Clock
			c.Raise(&p, Slot(n-1), 1)
			for i := 0; b.Loop(); i++ {
				d.Raise(&p, Slot(i%n), Time(i+2))
				d.Join(&p, c.Vec(), NoOrders)
				c.Join(&p, d.Vec(), NoOrders)
				v := d.Share() // the next change has to copy
				p.Drop(v)
			}
		})
	}
}

// TestOneVectorForOneTime: clocks that come to say the same have one vector, near and far.
func TestOneVectorForOneTime(t *testing.T) {
	var p Pool
	for _, s := range []Slot{1, 70} {
		var a, b Clock
		a.Raise(&p, 0, 3)
		a.Raise(&p, s, 2)
		b.Raise(&p, 0, 1)
		if s < nearSlots {
			require.True(t, b.Join(&p, a.Vec(), NoOrders), "b was nowhere more")
			require.Same(t, a.Vec(), b.Vec())
			b.Raise(&p, 5, 1)
		} else {
			b.Set(&p, a.Share())
			b.Raise(&p, 5, 1)
		}
		require.NotSame(t, a.Vec(), b.Vec())
		require.Zero(t, a.At(5), "a shared vector changed")
		require.True(t, a.Join(&p, b.Vec(), NoOrders))
		require.Same(t, a.Vec(), b.Vec())
		require.False(t, a.Join(&p, b.Vec(), NoOrders))
		a.Reset(&p)
		b.Reset(&p)
		require.Zero(t, p.Live, "a count was lost")
	}
}
