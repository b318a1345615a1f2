package trace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// asks is a goroutine in a section of its own, which tells at object 8.
func asks(r *Rounds, g G) Sections {
	s := r.Follow()
	r.Tells(g, s, 8)
	return s
}

func TestRounds(t *testing.T) {
	t.Run("who answers comes back", func(t *testing.T) {
		var r Rounds
		s := asks(&r, 1)
		require.Zero(t, r.Told(2, 0, 8))
		r.Tells(2, 0, 16)
		require.Equal(t, s, r.Told(1, s, 16))
	})
	t.Run("through a third one and a lock", func(t *testing.T) {
		var r Rounds
		s := asks(&r, 1)
		r.Told(2, 0, 8)
		r.Leaves(2, 0, 64)
		r.Sees(3, 0, 64)
		r.Starts(3, 0, 4)
		r.Tells(4, 0, 16)
		require.Equal(t, s, r.Told(1, s, 16))
	})
	t.Run("what the section told itself does not", func(t *testing.T) {
		var r Rounds
		s := asks(&r, 1)
		require.Zero(t, r.Told(1, s, 8))
	})
	t.Run("who was not told does not answer", func(t *testing.T) {
		var r Rounds
		s := asks(&r, 1)
		r.Tells(2, 0, 16)
		r.Told(2, 0, 8)
		require.Zero(t, r.Told(1, s, 16))
	})
	t.Run("an operation that is told and tells at once (S2)", func(t *testing.T) {
		var r Rounds
		s := asks(&r, 1)
		r.Tells(2, 0, 8)
		r.Told(2, 0, 8)
		require.Zero(t, r.Told(1, s, 8))
		r.Tells(2, 0, 8)
		require.Equal(t, s, r.Told(1, s, 8))
	})
	t.Run("a section that ended is another one's place", func(t *testing.T) {
		var r Rounds
		s := asks(&r, 1)
		r.Told(2, 0, 8)
		r.Forget(s)
		next := r.Follow()
		require.Equal(t, s, next)
		r.Tells(2, 0, 16)
		require.Zero(t, r.Told(1, next, 16))
	})
	t.Run("no room", func(t *testing.T) {
		var r Rounds
		for range 64 {
			require.NotZero(t, r.Follow())
		}
		require.Zero(t, r.Follow())
	})
}

// TestRoundsAreFound compares with the definition: a section is found exactly if its goroutine is
// told of an operation of another goroutine that comes after one that the section told.
func TestRoundsAreFound(t *testing.T) {
	const goroutines, objects, steps = 4, 3, 60
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var r Rounds
		var in [goroutines]Sections
		var follows [goroutines]map[string]bool // whoever knows of the goroutine's section, but at objects for what it told itself
		place := func(kind string, n int) string { return fmt.Sprint(kind, n) }
		for range steps {
			g, o := rng.IntN(goroutines), rng.IntN(objects)
			tells, told := rng.IntN(3) > 0, rng.IntN(2) > 0
			switch rng.IntN(6) {
			case 0:
				if in[g] == 0 {
					in[g], follows[g] = r.Follow(), map[string]bool{}
				}
				continue
			case 1:
				r.Forget(in[g])
				in[g], follows[g] = 0, nil
				continue
			}
			if tells {
				r.Tells(G(g), in[g], Addr(8*o))
				for of, known := range follows {
					switch {
					case known == nil:
					case of == g:
						known[place("own", o)] = true
					case known[place("g", g)]:
						known[place("others", o)] = true
					}
				}
			}
			if told {
				got := r.Told(G(g), in[g], Addr(8*o))
				for of, known := range follows {
					if of == g && known != nil {
						require.Equal(t, known[place("others", o)], got != 0, "seed %d", seed)
					} else if known[place("own", o)] || known[place("others", o)] {
						known[place("g", g)] = true
					}
				}
			}
		}
	}
}
