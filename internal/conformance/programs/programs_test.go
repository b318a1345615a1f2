package programs

import (
	"go/parser"
	"go/token"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExplore: programs whose races are plain to see.
func TestExplore(t *testing.T) {
	set := func(line int) statement { return statement{kind: write, obj: 0, val: 1, line: line} }
	of := func(k kind) statement { return statement{kind: k} }
	for name, c := range map[string]struct {
		first, second []statement
		races         Races
	}{
		"nothing orders":       {[]statement{set(1)}, []statement{set(2)}, Races{{1, 2}: true}},
		"a lock excludes":      {[]statement{of(lock), set(1), of(unlock)}, []statement{of(lock), set(2), of(unlock)}, Races{}},
		"before and after":     {[]statement{set(1), of(lock), of(unlock)}, []statement{of(lock), of(unlock), set(2)}, Races{{1, 2}: true}},
		"a token excludes":     {[]statement{of(put), set(1), of(take)}, []statement{of(put), set(2), of(take)}, Races{}},
		"a message orders":     {[]statement{set(1), of(send)}, []statement{{kind: ifReceive, body: []statement{}}, set(2)}, Races{}},
		"a gate orders":        {[]statement{set(1), of(shut)}, []statement{of(await), set(2)}, Races{}},
		"a value tells":        {[]statement{set(1), {kind: store, val: 1}}, []statement{{kind: ifLoad, val: 1, body: []statement{set(2)}}}, Races{}},
		"reads do not race":    {[]statement{{kind: read, line: 1}}, []statement{{kind: ifEqual, line: 2, body: []statement{}}}, Races{}},
		"the half of ++ reads": {[]statement{{kind: increment, line: 1}}, []statement{{kind: read, line: 2}}, Races{{1, 2}: true}},
		"a rendezvous orders":  {[]statement{set(1), of(meet)}, []statement{{kind: ifMeet, body: []statement{}}, set(2)}, Races{}},
		"and the other way":    {[]statement{of(meet), set(1)}, []statement{set(2), {kind: ifMeet, body: []statement{}}}, Races{}},
		"a default does not":   {[]statement{{kind: tryMeet, body: []statement{}, other: []statement{of(meet)}}, set(1)}, []statement{{kind: ifMeet, body: []statement{}}, set(2)}, Races{{1, 2}: true}},
		"who waits comes after": {[]statement{of(lock), {kind: waitFor, val: 1, line: 3}, of(unlock), set(1)},
			[]statement{of(lock), set(2), of(signal), of(unlock)}, Races{{1, 2}: false}},
		"a task orders":      {[]statement{set(1), of(done)}, []statement{of(allDone), set(2)}, Races{}},
		"canceling orders":   {[]statement{set(1), of(cancel)}, []statement{of(canceled), set(2)}, Races{}},
		"either may be":      {[]statement{set(1), of(send), of(shut)}, []statement{{kind: ifEither, body: []statement{}, other: []statement{}}, set(2)}, Races{}},
		"a map's entry":      {[]statement{set(1), {kind: ifLoaded, body: []statement{}}}, []statement{{kind: ifLoaded, body: []statement{set(2)}}}, Races{}},
		"once is waited for": {[]statement{{kind: once, body: []statement{set(1)}}, set(3)}, []statement{{kind: once, body: []statement{set(2)}}}, Races{{2, 3}: false}},
	} {
		p := &Program{goroutines: [][]statement{c.first, c.second}, forked: make([]bool, 2)}
		races, ok := p.explore()
		require.True(t, ok, name)
		for pair, real := range c.races {
			require.Equal(t, real, races[pair], "%s: %v", name, pair)
		}
		if len(c.races) == 0 {
			require.Empty(t, races, name)
		}
	}
	for name, list := range map[string][]statement{
		"a deadlock": {of(await)}, "unlocked twice": {of(unlock)}, "a lock taken twice": {of(lock), of(lock)},
	} {
		_, ok := (&Program{goroutines: [][]statement{list}, forked: make([]bool, 1)}).explore()
		require.False(t, ok, name)
	}
}

// TestSource: it is Go, the same for the same seed, and every race is of lines that access a variable.
func TestSource(t *testing.T) {
	source, races := Tests(7, 50)
	again, _ := Tests(7, 50)
	require.Equal(t, source, again)
	_, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	require.NoError(t, err)
	require.Len(t, races, 50)
	kinds := map[kind]bool{}
	var walk func(list []statement)
	walk = func(list []statement) {
		for _, s := range list {
			kinds[s.kind] = true
			walk(s.body)
			walk(s.other)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		for _, g := range random(r).goroutines {
			walk(g)
		}
	}
	for k := range finish {
		require.True(t, kinds[k], "no program has statements of kind %d", k)
	}
}
