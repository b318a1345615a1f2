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
		"a task orders":               {[]statement{set(1), of(done)}, []statement{of(allDone), set(2)}, Races{}},
		"canceling orders":            {[]statement{set(1), of(cancel)}, []statement{of(canceled), set(2)}, Races{}},
		"either may be":               {[]statement{set(1), of(send), of(shut)}, []statement{{kind: ifEither, body: []statement{}, other: []statement{}}, set(2)}, Races{}},
		"a map's entry":               {[]statement{set(1), {kind: ifLoaded, body: []statement{}}}, []statement{{kind: ifLoaded, body: []statement{set(2)}}}, Races{}},
		"what is transmitted orders":  {[]statement{set(1), {kind: transmit, val: 1}}, []statement{{kind: ifRead, val: 1, body: []statement{set(2)}}}, Races{}},
		"so does a stream's end":      {[]statement{set(1), {kind: ifHangUp, body: []statement{}}}, []statement{{kind: ifRead, val: 1, body: []statement{}}, set(2)}, Races{}},
		"what is not read does not":   {[]statement{set(1), {kind: transmit, val: 1}}, []statement{{kind: transmit, val: 2}, set(2)}, Races{{1, 2}: true}},
		"who hangs up second knows":   {[]statement{set(1), {kind: ifHangUp, body: []statement{}}}, []statement{{kind: ifHangUp, body: []statement{}, other: []statement{set(2)}}}, Races{}},
		"something to read tells":     {[]statement{set(1), {kind: transmit, val: 1}}, []statement{{kind: ifUnread, body: []statement{set(2)}}}, Races{}},
		"a call orders":               {[]statement{set(1), of(dial)}, []statement{of(accept), set(2)}, Races{}},
		"and is not waited for":       {[]statement{set(1), of(accept)}, []statement{of(dial), set(2)}, Races{{1, 2}: true}},
		"a directory tells":           {[]statement{set(1), {kind: ifMkdir, body: []statement{}}}, []statement{{kind: ifExists, body: []statement{set(2)}}}, Races{}},
		"so does one that is in use":  {[]statement{set(1), {kind: ifMkdir, body: []statement{}}}, []statement{{kind: ifMkdir, body: []statement{}, other: []statement{set(2)}}}, Races{}},
		"a removed one is none":       {[]statement{{kind: ifMkdir, body: []statement{}}, set(1), of(rmdir)}, []statement{{kind: ifRename, body: []statement{set(2)}}}, Races{{1, 2}: true}},
		"a file tells":                {[]statement{set(1), {kind: writeAt, val: 1}}, []statement{{kind: ifReadAt, val: 1, body: []statement{set(2)}}}, Races{}},
		"so does other memory":        {[]statement{set(1), {kind: storeMapped, val: 1}}, []statement{{kind: ifMapped, val: 1, body: []statement{set(2)}}}, Races{}},
		"a signal orders":             {[]statement{set(1), of(kill)}, []statement{of(awaitSignal), set(2)}, Races{}},
		"who closes second knows":     {[]statement{set(1), {kind: ifCloses, body: []statement{}}}, []statement{{kind: ifCloses, body: []statement{}, other: []statement{set(2)}}}, Races{}},
		"who closes does not":         {[]statement{set(1), {kind: ifCloses, body: []statement{}}}, []statement{{kind: ifCloses, body: []statement{set(2)}}}, Races{{1, 2}: true}},
		"who is done second knows":    {[]statement{set(1), {kind: ifTallies, body: []statement{}}}, []statement{{kind: ifTallies, body: []statement{}, other: []statement{set(2)}}}, Races{}},
		"the clock orders":            {[]statement{{kind: sleep, val: 1}, set(1)}, []statement{{kind: sleep, val: 2}, set(2)}, Races{}},
		"and shows it":                {[]statement{set(1)}, []statement{{kind: sleep, val: 1}, {kind: ifLater, val: 1, body: []statement{set(2)}}}, Races{}},
		"the same time does not":      {[]statement{{kind: sleep, val: 1}, set(1)}, []statement{{kind: sleep, val: 1}, set(2)}, Races{{1, 2}: true}},
		"nor what comes before sleep": {[]statement{set(1), {kind: sleep, val: 1}}, []statement{set(2), {kind: sleep, val: 2}}, Races{{1, 2}: true}},
		"once is waited for":          {[]statement{{kind: once, body: []statement{set(1)}}, set(3)}, []statement{{kind: once, body: []statement{set(2)}}}, Races{{2, 3}: false}},
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
		"closed twice": {of(shut), of(shut)}, "nobody calls": {of(accept)},
	} {
		_, ok := (&Program{goroutines: [][]statement{list}, forked: make([]bool, 1)}).explore()
		require.False(t, ok, name)
	}
}

// TestSource: it is Go, the same for the same seed, and every race is of lines that access a
// variable.
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
