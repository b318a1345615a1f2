package syncrev_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/oracle"
	"github.com/racepred/racepred/internal/oracle/oracletest"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

// TestFigures has the pairs, numbered from 1, that are candidates and that have a witness. The
// other predictors' are in package oracle's case files.
func TestFigures(t *testing.T) {
	pair := func(i, j int) map[oracle.Pair]bool { return map[oracle.Pair]bool{{i - 1, j - 1}: true} }
	none := map[oracle.Pair]bool{}
	for name, c := range map[string]struct {
		text             string
		candidates, true map[oracle.Pair]bool
	}{
		"popl21: the sections' writes need not both happen": {`
			g1 write a
			g1 acquire l
			g1 write b
			g1 release l
			g2 acquire l
			g2 write b
			g2 release l
			g2 write a`, pair(1, 8), pair(1, 8)},
		"m2: the sections are turned round": {`
			g1 acquire l
			g1 write a
			g1 release l
			g2 acquire l
			g2 write q
			g2 release l
			g2 write a`, pair(2, 7), pair(2, 7)},
		"pldi17 figure 1b": {`
			g1 write y
			g1 acquire l
			g1 read x
			g1 release l
			g2 acquire l
			g2 read x
			g2 release l
			g2 read y`, pair(1, 8), pair(1, 8)},
		"pldi17 figure 2a: the read of y has to see the write": {`
			g1 acquire l
			g1 write y
			g1 write x
			g1 release l
			g2 acquire l
			g2 read y
			g2 read x
			g2 release l`, none, none},
		"a fork passes on no more than it must": {`
			g1 write x
			g1 acquire l
			g1 release l
			g2 acquire l
			g2 release l
			g2 fork g3
			g3 read x`, pair(1, 7), pair(1, 7)},
		"pldi17 figure 4: in the other order of its sections": {`
			g1 acquire l
			g1 acquire m
			g1 release m
			g1 read z
			g1 release l
			g2 acquire m
			g2 acquire n
			g2 acquire x
			g2 write xv
			g2 release x
			g2 release n
			g2 release m
			g3 acquire n
			g3 acquire l
			g3 release l
			g3 acquire x
			g3 read xv
			g3 release x
			g3 write z
			g3 release n`, pair(4, 19), pair(4, 19)},
	} {
		t.Run(name, func(t *testing.T) {
			evs, err := trace.Parse(c.text)
			require.NoError(t, err)
			got := oracletest.Run(evs, newAll)
			require.Equal(t, c.candidates, got)
			require.Equal(t, c.true, proven(evs, got))
			require.Equal(t, c.true, oracle.Explore(evs, 1_000_000).Races)
		})
	}
}

// TestOracleFigures: of all figures that package oracle has, the races are candidates and get a
// witness, and nothing else gets one.
func TestOracleFigures(t *testing.T) {
	files, err := filepath.Glob("../../oracle/testdata/figures/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			_, body, _ := strings.Cut(string(text), "\n---\n")
			evs, err := trace.Parse(body)
			require.NoError(t, err)
			require.Equal(t, oracle.Explore(evs, 1_000_000).Races, proven(evs, oracletest.Run(evs, newAll)))
		})
	}
}

// proven are the pairs that have a witness.
func proven(evs []trace.Event, pairs map[oracle.Pair]bool) map[oracle.Pair]bool {
	found := map[oracle.Pair]bool{}
	f := witness.New(evs, witness.Options{})
	for p := range pairs {
		if f.Find(goal.RaceOf(int32(p[0]), int32(p[1]))).Verdict == witness.Feasible {
			found[p] = true
		}
	}
	return found
}

// TestTable counts, over random traces and by the later access, how much of what can race each
// predictor proposes, how much of that gets a witness, and how much is reported: it has a witness,
// or happens-before leaves it unordered (observed).
func TestTable(t *testing.T) {
	type row struct{ proposed, right, proven, reported int }
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			var truth, inOrder int
			names := []string{"hb", "shb", "lockset", "wcp", "ipa", "syncp", "syncrev", "hb+wcp", "default", "all"}
			rows := map[string]*row{}
			for _, name := range names {
				rows[name] = &row{}
			}
			for seed := range uint64(200) {
				evs := oracle.Random(rand.New(rand.NewPCG(seed, 22)), 10+int(seed%22), kind.f)
				all, ordered := oracle.Explore(evs, 200_000), oracle.ExploreInOrder(evs, 200_000)
				if !all.Complete || !ordered.Complete {
					continue
				}
				races := oracle.Seconds(all.Races)
				truth += len(races)
				inOrder += len(oracle.Seconds(ordered.Races))
				for p := range ordered.Races {
					require.True(t, all.Races[p])
				}
				pairs := map[string]map[oracle.Pair]bool{"hb": oracletest.Run(evs, newHB), "wcp": oracletest.Run(evs, newWCP), "shb": oracletest.Run(evs, newSHB),
					"lockset": oracletest.Run(evs, newLockset), "ipa": oracletest.Run(evs, newIPA), "default": oracletest.Run(evs, newDefault), "syncp": oracletest.Run(evs, newSyncP), "syncrev": oracletest.Run(evs, newAll)}
				union := func(to string, of ...string) {
					pairs[to] = map[oracle.Pair]bool{}
					for _, name := range of {
						for p := range pairs[name] {
							pairs[to][p] = true
						}
					}
				}
				union("hb+wcp", "hb", "wcp")
				union("all", "hb", "wcp", "ipa", "syncp", "syncrev")
				observed := oracle.Seconds(pairs["hb"])
				for _, name := range names {
					r, right := rows[name], proven(evs, pairs[name])
					for p := range right {
						require.True(t, all.Races[p], "seed %d: %s: %v has a witness and is no race%s", seed, name, p, oracletest.Text(evs))
					}
					for e := range oracle.Seconds(pairs[name]) {
						r.proposed++
						if races[e] {
							r.right++
						}
					}
					found := oracle.Seconds(right)
					r.proven += len(found)
					for e := range races {
						if found[e] || observed[e] && oracle.Seconds(pairs[name])[e] {
							r.reported++
						}
					}
				}
			}
			t.Logf("accesses that can race: %d, without turning sections round: %d", truth, inOrder)
			for _, name := range names {
				r := rows[name]
				t.Logf("%-7s proposed %5d, of which right %5d, with a witness %5d (%.1f%% of all), reported %5d (%.1f%%)",
					name, r.proposed, r.right, r.proven, 100*float64(r.proven)/float64(truth), r.reported, 100*float64(r.reported)/float64(truth))
			}
			require.Equal(t, rows["shb"].proposed, rows["shb"].proven, "shb: each is schedulable")
			require.Equal(t, rows["syncp"].proposed, rows["syncp"].proven, "syncp: each is a race")
			require.Equal(t, inOrder, rows["syncp"].proven)
			require.GreaterOrEqual(t, rows["lockset"].right, rows["all"].right)
			require.Equal(t, rows["lockset"].right, rows["ipa"].right, "ipa: no race is lost")
			require.LessOrEqual(t, rows["ipa"].proposed, rows["lockset"].proposed)
			require.GreaterOrEqual(t, rows["default"].reported*100, truth*99)
			require.GreaterOrEqual(t, rows["default"].proven, rows["hb+wcp"].proven)
			require.GreaterOrEqual(t, rows["syncrev"].proven*100, truth*99)
			require.GreaterOrEqual(t, rows["all"].proven, rows["hb+wcp"].proven)
		})
	}
}
