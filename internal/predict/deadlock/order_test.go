package deadlock

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
)

// reaches is whether a way of edges goes from one lock to another, by definition.
func reaches(edges map[[2]lock]bool, from, to lock, locks int) bool {
	seen := map[lock]bool{}
	list := []lock{from}
	for len(list) > 0 {
		at := list[0]
		list = list[1:]
		for n := range lock(locks) {
			if !edges[[2]lock{at, n}] || seen[n] {
				continue
			}
			if n == to {
				return true
			}
			seen[n] = true
			list = append(list, n)
		}
	}
	return false
}

// TestOrder: an acquisition is on a closed walk of the lock graph exactly when the order says so,
// whatever edges come in whatever order.
func TestOrder(t *testing.T) {
	const locks = 12
	cyclic, free := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		o, edges := newOrder(&predict.Tables{}), map[[2]lock]bool{}
		sparse := r.IntN(4) // edges against the numbers are rare in most of them
		for range 60 {
			in := []section{{lock: lock(r.IntN(locks))}}
			if r.IntN(3) == 0 {
				in = append(in, section{lock: lock(r.IntN(locks))})
			}
			l := lock(r.IntN(locks))
			if sparse > 0 && r.IntN(8*sparse) != 0 {
				for _, s := range in {
					l = max(l, s.lock+1)
				}
				l = min(l, locks-1)
			}
			o.add(l, in)
			want := false
			for _, s := range in {
				edges[[2]lock{s.lock, l}] = true
			}
			for _, s := range in {
				want = want || s.lock == l || reaches(edges, l, s.lock, locks)
			}
			require.Equal(t, want, o.cyclic(l, in), "seed %d", seed)
			if want {
				cyclic++
			} else {
				free++
			}
		}
		require.False(t, o.anyhow)
	}
	require.Greater(t, cyclic, 1000)
	require.Greater(t, free, 1000)
}

// TestOrderGivenUp: without credit every acquisition is searched from, until the order is made
// anew.
func TestOrderGivenUp(t *testing.T) {
	o := newOrder(&predict.Tables{})
	o.add(1, []section{{lock: 0}})
	o.credit = -creditEach
	o.add(0, []section{{lock: 2}})
	require.True(t, o.anyhow)
	require.True(t, o.cyclic(7, []section{{lock: 8}}))
	o.renew([]*node{{key: key{lock: 1}, held: []section{{lock: 0}}}})
	require.False(t, o.cyclic(1, []section{{lock: 0}}))
	require.False(t, o.cyclic(7, []section{{lock: 8}}))
}
