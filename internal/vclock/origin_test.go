package vclock

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOriginsAgainstWholeJoins passes messages between processes, once with origins and once
// without them. All clocks must stay equal.
func TestOriginsAgainstWholeJoins(t *testing.T) {
	const inOrder Orders = 1
	rng := rand.New(rand.NewPCG(3, 4))
	known := 0
	for round := range 120 {
		var p, q Pool
		type message struct{ with, without Stamp }
		type process struct {
			slot          Slot
			now           Time
			with, without Clock
		}
		at := make([]process, []int{3, 12, 90, 1200}[round%4])
		for i := range at {
			at[i].slot, at[i].now = Slot(i), 1
		}
		var held []message // kept for longer than the latest one of a process
		for range 300 {
			from, to := &at[rng.IntN(len(at))], &at[rng.IntN(min(len(at), 1+rng.IntN(len(at))))]
			m := message{Stamp{from.with.Share(), from.slot, from.now}, Stamp{from.without.Share(), from.slot, from.now}}
			from.with.Vec().Sign(inOrder, from.slot, from.now)
			from.now++
			switch n := len(held); {
			case n > 0 && rng.IntN(3) == 0:
				i := rng.IntN(n)
				m, held[i] = held[i], m
			case n < 20 && rng.IntN(3) == 0:
				held = append(held, m)
				continue
			}
			if o := to.with.Vec(); o != nil && m.with.Vec != nil && (p.under(m.with.Vec, o, inOrder) || p.under(o, m.with.Vec, inOrder)) {
				known++
			}
			require.Equal(t, to.without.Vec().Covers(m.without.Vec), to.with.Vec().CoversIn(&p, m.with.Vec, inOrder))
			to.with.JoinStamp(&p, m.with, inOrder)
			to.without.JoinStamp(&q, m.without, NoOrders)
			m.with.Drop(&p)
			m.without.Drop(&q)
			for s := range at {
				require.Equal(t, to.without.At(Slot(s)), to.with.At(Slot(s)))
			}
		}
	}
	require.Greater(t, known, 5000, "joins whose result was known")
}

// TestStaleOrigin has a slot that goes by force from an owner whose clock nobody knows to another
// one: to know the second owner is not to know the first.
func TestStaleOrigin(t *testing.T) {
	const inOrder Orders = 1
	slots := Slots{Limit: 1}
	p := Pool{Slots: &slots}
	slot, now, ok := slots.Take(nil)
	require.True(t, ok)
	var first, second Clock
	first.Raise(&p, 70, 5)
	first.Vec().Sign(inOrder, slot, now)
	slots.Give(slot, now, now)
	_, now, ok = slots.Take(nil)
	require.True(t, ok)
	require.EqualValues(t, 1, slots.Forced)
	second.Raise(&p, slot, now)
	require.False(t, second.Vec().CoversIn(&p, first.Vec(), inOrder))
	second.Join(&p, first.Vec(), inOrder)
	require.EqualValues(t, 5, second.At(70))
}
