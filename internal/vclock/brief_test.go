package vclock

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// check reports what is wrong with a vector.
func (v *Vec) check(t *testing.T) {
	if v == nil {
		return
	}
	require.Positive(t, v.refs)
	require.LessOrEqual(t, int(v.changes), maxChanges)
	if v.base == nil {
		require.False(t, v.brief)
		require.Zero(t, v.changes)
		return
	}
	require.Nil(t, v.base.base)
	require.False(t, v.base.brief)
	changed := map[Slot]bool{}
	for i := range v.changes {
		s, at := v.change(i)
		if at != v.At(s) || changed[s] {
			require.Fail(t, "a change twice, or not as it is", "slot %d", s)
		}
		changed[s] = true
	}
	for s := range Slot(min(v.Len(), 2*nearSlots)) {
		if !changed[s] && v.At(s) != v.base.At(s) {
			require.Fail(t, "a change that is not noted", "slot %d", s)
		}
	}
}

// TestSharedVectors: what a clock said at one time stays what it is, in little memory where the
// clock changes in few slots at a time.
func TestSharedVectors(t *testing.T) {
	for _, slots := range []Slot{6, 60, 300} {
		var p Pool
		var c Clock
		for s := range slots {
			c.Raise(&p, s, 1)
		}
		const shares = 1000
		var kept []*Vec
		var want []Time // of slot i%slots
		before := p.Live
		for i := range Time(shares) {
			kept = append(kept, c.Share())
			s := Slot(i/20) % slots
			c.Raise(&p, s, i+2)
			want = append(want, i+2)
			c.Vec().check(t)
		}
		require.Less(t, (p.Live-before)/shares, 128, "bytes for one")
		for i, v := range kept {
			v.check(t)
			if i > 0 {
				require.Equal(t, want[i-1], v.At(Slot(i-1)/20%slots))
				require.True(t, v.Covers(kept[i-1]))
				require.False(t, kept[i-1].Covers(v))
			}
			var learner Clock
			learner.Join(&p, kept[shares/2], NoOrders)
			learner.Join(&p, v, NoOrders)
			require.Same(t, kept[max(i, shares/2)], learner.Vec(), "no time of one is more than that of the other")
			learner.Reset(&p)
		}
		rand.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
		for _, v := range kept {
			p.Drop(v)
		}
		c.Reset(&p)
		require.Zero(t, p.Live, "a count was lost")
	}
}
