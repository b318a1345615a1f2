package gotestplugin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseShard(t *testing.T) {
	s, err := parseShard("2/5")
	require.NoError(t, err)
	require.Equal(t, shard{2, 5}, s)
	for _, bad := range []string{"", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/ 2"} {
		_, err := parseShard(bad)
		require.Error(t, err, bad)
	}
}

// TestDeal: each package is in one shard, whatever order they come in, and no shard has much more
// to do than it must.
func TestDeal(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		n, sum, longest := 1+rnd.IntN(6), 0.0, 0.0
		var packages []dealt
		for i := range 1 + rnd.IntN(40) {
			p := dealt{path: fmt.Sprint("m/p", i), tests: true, seconds: 0.1 + rnd.ExpFloat64()}
			packages = append(packages, p)
			sum, longest = sum+p.seconds, max(longest, p.seconds)
		}
		of := deal(packages, n)
		require.Len(t, of, len(packages))
		load := make([]float64, n)
		for _, p := range packages {
			load[of[p.path]] += p.seconds
		}
		for _, l := range load {
			require.LessOrEqual(t, l, sum/float64(n)+longest)
		}
		rnd.Shuffle(len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
		require.Equal(t, of, deal(packages, n))
		require.Equal(t, dealHash(of, n), dealHash(deal(packages, n), n))
	}
}

func TestDealWithoutDurations(t *testing.T) {
	of := deal([]dealt{{path: "a", tests: true}, {path: "b"}, {path: "c", tests: true}, {path: "d", tests: true}, {path: "e", tests: true}}, 2)
	require.Equal(t, map[string]int{"a": 0, "c": 1, "d": 0, "e": 1, "b": 0}, of, "as many tested packages in each")
	of = deal([]dealt{{"a", true, 9}, {"b", true, 1}, {"c", true, 0}, {"d", true, 2}}, 2)
	require.Equal(t, map[string]int{"a": 0, "c": 1, "d": 1, "b": 1}, of, "c is taken for 4 s")
}

func TestEventTimes(t *testing.T) {
	seconds := map[string]float64{}
	require.True(t, addEventTimes(seconds, []byte(`{"Action":"start","Package":"m/a"}
{"Action":"pass","Package":"m/a","Test":"TestX","Elapsed":7}
{"Action":"pass","Package":"m/a","Elapsed":1.5}

{"Action":"fail","Package":"m/b","Elapsed":2}
`)))
	require.Equal(t, map[string]float64{"m/a": 1.5, "m/b": 2}, seconds)
	require.False(t, addEventTimes(seconds, []byte("{\"version\":1}\n")))
	require.False(t, addEventTimes(seconds, []byte("{\n\"version\":1}\n")))
}
