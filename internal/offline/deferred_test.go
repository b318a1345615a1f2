package offline

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/tracefile"
)

// left is the file of a process whose engine had no budget.
func left(t *testing.T, texts ...string) []byte {
	var b bytes.Buffer
	w := tracefile.NewWriter(&b, []tracefile.Pair{{Key: tracefile.KeyPackage, Value: "m"}, {Key: tracefile.KeyPID, Value: "7"}})
	w.Sites(tracefile.SiteTable{File: "/m/a.go", Pkg: "m", Base: 1, N: 9, Table: "1:1\tgo\t\tf\n2:1\twrite\ty\tf\n3:1\tlock\tl\tf\n4:1\tread\tx\tf\n" +
		"5:1\tunlock\tl\tf\n6:1\tlock\tl\tg\n7:1\tread\tx\tg\n8:1\tunlock\tl\tg\n9:1\tread\ty\tg\n"})
	for _, text := range texts {
		evs, err := trace.Parse(text)
		require.NoError(t, err)
		e := engine.New(engine.Config{FlushStates: -1, Deferred: func(u *engine.DeferredSearch) { w.Deferred(&u.Deferred, u.Events) }}, func(engine.Finding) {})
		for _, ev := range evs {
			e.Event(ev)
		}
		e.Flush()
	}
	require.NoError(t, w.Flush())
	return b.Bytes()
}

func searchDeferred(t *testing.T, dir string) (run *collect.Run, problems []string) {
	run = &collect.Run{}
	Config{}.SearchDeferred(dir, run, func(err error) { problems = append(problems, err.Error()) })
	return run, problems
}

func TestSearchDeferred(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "7-0"+protocol.DeferredSuffix)
	b := left(t, fig1b)
	require.NoError(t, os.WriteFile(name, b, 0o666))
	run, problems := searchDeferred(t, dir)
	require.Empty(t, problems)
	require.Equal(t, []string{"predicted [wcp] /m/a.go:2 /m/a.go:9"}, brief(run))
	require.NotEmpty(t, run.Findings[0].Witness.Steps)

	// A process that is killed leaves what it wrote.
	two := left(t, fig1b, fig1b)
	for n := len(b); n < len(two); n++ {
		require.NoError(t, os.WriteFile(name, two[:n], 0o666))
		run, problems = searchDeferred(t, dir)
		require.Empty(t, problems)
		require.Len(t, run.Findings, 1)
	}

	// A file that is not what it should be is told, and the others are read.
	two[len(two)-20] ^= 1
	require.NoError(t, os.WriteFile(name, two, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "8-0"+protocol.DeferredSuffix), b, 0o666))
	run, problems = searchDeferred(t, dir)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "trace: 7-0.deferred: block")
	require.Contains(t, problems[0], "checksum")
	require.Len(t, run.Findings, 2)
}

func TestOpenPairsAreNoTrace(t *testing.T) {
	path := file(t, "x.deferred", string(left(t, fig1b)))
	require.Equal(t, []string{"predicted [wcp] /m/a.go:2 /m/a.go:9"}, brief(analyze(t, Config{}, path)))
	for _, to := range Formats {
		_, err := Convert(new(bytes.Buffer), open(t, path), to)
		require.ErrorIs(t, err, trace.ErrDeferred)
		require.ErrorContains(t, err, path)
	}
	_, _, err := Validate(open(t, path), nil)
	require.ErrorIs(t, err, trace.ErrDeferred)
	var b bytes.Buffer
	require.NoError(t, Dump(&b, open(t, path), 0, 0))
	require.Contains(t, b.String(), "// 9 events with 1 goals whose search was deferred:\n//     a race of its events 1 and 8, by wcp\n")
	s, err := Count(open(t, path))
	require.NoError(t, err)
	require.Equal(t, 1, s.Deferred)
	require.Equal(t, uint64(9), s.Events)
}
