package predict_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// lockSection is a section with a number.
type lockSection struct {
	lock   trace.Addr
	shared bool
	no     int
}

func (s *lockSection) Like(lock trace.Addr, shared bool) bool {
	return s.lock == lock && s.shared == shared
}

// TestSectionsLikeLists: Sections answers like a list for each goroutine that is searched from its
// end.
func TestSectionsLikeLists(t *testing.T) {
	handed := 0
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var x predict.Sections[lockSection, *lockSection]
		lists := map[trace.G][]lockSection{}
		for no := range 300 {
			g, lock, shared := trace.G(rnd.IntN(200)+1), trace.Addr(rnd.IntN(6)), rnd.IntN(4) == 0
			switch what := rnd.IntN(20); {
			case what < 9:
				s := lockSection{lock, shared, no}
				x.Enter(g, s)
				lists[g] = append(lists[g], s)
			case what < 17:
				s, by := x.Leave(g, lock, shared)
				like := func(s lockSection) bool { return s.Like(lock, shared) }
				if slices.ContainsFunc(lists[g], like) {
					require.Equal(t, g, by, "a goroutine's own section comes first")
				} else if by == 0 {
					for _, list := range lists {
						require.False(t, slices.ContainsFunc(list, like), "a section is not found")
					}
					continue
				} else {
					handed++
				}
				i := len(lists[by]) - 1
				for !like(lists[by][i]) {
					i--
				}
				require.Equal(t, lists[by][i], s)
				lists[by] = slices.Delete(lists[by], i, i+1)
			case what < 19:
				x.End(g)
			default:
				var forgotten []lockSection
				x.Forget(g, func(s *lockSection) { forgotten = append(forgotten, *s) })
				require.ElementsMatch(t, lists[g], forgotten)
				delete(lists, g)
			}
			require.Equal(t, len(lists[g]), len(x.Of(g)))
			for i, s := range x.Of(g) {
				require.Equal(t, lists[g][i], s)
			}
		}
		n := 0
		for _, list := range lists {
			n += len(list)
		}
		x.Each(func(g trace.G, s *lockSection) {
			n--
			require.Contains(t, lists[g], *s)
		})
		require.Zero(t, n)
	}
	require.Greater(t, handed, 1000)
}
