package gotestplugin

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
)

const (
	textOut = "ok  \tm/a\t0.1s\n--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tm/b\t0.2s\nno newlineFAIL\tm/c\t0.3s\nFAIL\tm/d [build failed]\n# FAIL\nFAIL\n"
	jsonOut = `{"Action":"fail","Package":"m/b","Test":"TestX"}
{"Action":"fail","Package":"m/c","Elapsed":0.3}
{"ImportPath":"m/d","Action":"build-fail"}
{"Action":"fail","Package":"m/d","FailedBuild":"m/d"}
not json fail"
{"Action":"output","Package":"m/e","Output":"{\"Action\":\"fail\"}\n"}
`
)

func TestWatcher(t *testing.T) {
	for name, c := range map[string]struct {
		out    string
		json   bool
		failed []string
		built  bool
	}{
		"text":         {textOut, false, []string{"m/b", "m/c", "m/d"}, false},
		"json":         {jsonOut, true, []string{"m/c", "m/d"}, false},
		"passing":      {"ok  \tm/a\t0.1s\n", false, nil, true},
		"setup failed": {"FAIL\t./x [setup failed]\nFAIL\n", false, []string{"./x"}, false},
		"no json mode": {jsonOut, false, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			var whole, bytewise bytes.Buffer
			w := newWatcher(&whole, c.json)
			_, err := w.Write([]byte(c.out))
			require.NoError(t, err)
			v := newWatcher(&bytewise, c.json)
			_, err = bytes.NewBuffer(nil).ReadFrom(iotest.OneByteReader(teeInto(c.out, v)))
			require.NoError(t, err)
			for _, x := range []*watcher{w, v} {
				require.Len(t, x.failed, len(c.failed))
				for _, f := range c.failed {
					require.True(t, x.failed[f], f)
				}
				require.Equal(t, c.built, x.built)
			}
			require.Equal(t, c.out, whole.String(), "byte for byte")
			require.Equal(t, c.out, bytewise.String())
		})
	}
}

func TestWatcherSeesHowProcessesEnd(t *testing.T) {
	w := newWatcher(&bytes.Buffer{}, false)
	_, _ = w.Write([]byte("exit status 2\nFAIL\tm/a\t0.1s\nok  \tm/b\t0.1s\nopen line signal: killed\nFAIL\tm/c\t0.1s\nFAIL\tm/d\t0.1s\n"))
	require.Equal(t, map[string]string{"m/a": "exit status 2", "m/c": "signal: killed", "m/d": ""}, w.ends)

	w = newWatcher(&bytes.Buffer{}, true)
	_, _ = w.Write([]byte(`{"Action":"output","Package":"m/a","Output":"signal: killed\n"}` + "\n" + `{"Action":"output","Package":"m/b","Output":"x signal: killed\n"}` + "\n"))
	require.Equal(t, map[string]string{"m/a": "signal: killed"}, w.ends)
}

func TestCutShort(t *testing.T) {
	o := outcome{goPID: 1, dirs: map[string]string{"/a": "m/a"}, run: &collect.Run{Processes: []protocol.Process{
		{PID: 2, PPID: 1, Package: "m/a"},
		{PID: 3, PPID: 1, Package: "m/a", End: protocol.EndUnknown, Waiting: 2, Stats: report.Stats{Events: 7}},
		{PID: 4, PPID: 1, Package: "m/a", End: protocol.EndSignal, Exit: 9, Stats: report.Stats{Events: 8}},
		{PID: 5, PPID: 2, Package: "m/a", End: protocol.EndUnknown},
		{PID: 6, PPID: 2, Package: "m/a", End: protocol.EndPanic}, // its test means it
		{PID: 7, PPID: 1, Package: "m/a", Unfinished: true, Exit: 1, Stats: report.Stats{Events: 9}},
		{PID: 8, PPID: 2, Package: "m/a", Unfinished: true, Exit: 1},
	}}}
	var got []string
	for _, u := range o.cutShort(map[string]string{"m/a": "signal: killed"}) {
		got = append(got, u.Package+": "+u.Reason)
	}
	require.Equal(t, []string{
		"m/a: the test process ended without notice (signal: killed): 7 events were analysed, what it did after them is missing; pairs of accesses that may race and were not looked into: 2",
		"m/a: the test process was ended by signal 9 (killed): 8 events until then were analysed, the rest of the tests did not run",
		"m/a: a process that the tests started ended without notice, as by SIGKILL: what it did last is missing",
		"m/a: the test process ended with status 1 while its tests ran, as by os.Exit or log.Fatal: 9 events until then were analysed, the rest of the tests did not run",
	}, got)
}

// teeInto reads s and writes every piece that is read to w.
func teeInto(s string, w *watcher) *teeReader { return &teeReader{strings.NewReader(s), w} }

type teeReader struct {
	r *strings.Reader
	w *watcher
}

func (t *teeReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	_, _ = t.w.Write(p[:n])
	return n, err
}

func TestExitCode(t *testing.T) {
	const gopid = 10
	races := func(pkg string) protocol.Process {
		return protocol.Process{PID: 20, PPID: gopid, Package: pkg, Exit: 1, Races: 2}
	}
	with := func(p protocol.Process, change func(*protocol.Process)) protocol.Process {
		change(&p)
		return p
	}
	for name, c := range map[string]struct {
		goExit    int
		failed    []string
		notBuilt  bool
		noPID     bool
		stopped   bool
		processes []protocol.Process
		findings  []report.Verdict
		want      int
	}{
		"clean":                      {want: 0},
		"usage":                      {goExit: 2, want: 2},
		"possible findings only":     {findings: []report.Verdict{report.Possible}, want: 0},
		"a race no test failed for":  {findings: []report.Verdict{report.Predicted}, want: 66},
		"races alone":                {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{races("m/a")}, want: 66},
		"races alone in two":         {goExit: 1, failed: []string{"m/a", "m/b"}, processes: []protocol.Process{races("m/a"), races("m/b")}, want: 66},
		"one of two fails otherwise": {goExit: 1, failed: []string{"m/a", "m/b"}, processes: []protocol.Process{races("m/a"), {PID: 21, PPID: gopid, Package: "m/b", Exit: 1, Failures: 1}}, want: 1},
		"races and another failure":  {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{with(races("m/a"), func(p *protocol.Process) { p.Failures = 1 })}, want: 1},
		"crashed":                    {goExit: 1, failed: []string{"m/a"}, findings: []report.Verdict{report.Observed}, want: 1},
		"one of two crashed":         {goExit: 1, failed: []string{"m/a", "m/b"}, processes: []protocol.Process{races("m/a")}, want: 1},
		"not built":                  {goExit: 1, failed: []string{"m/a", "m/b"}, notBuilt: true, processes: []protocol.Process{races("m/a")}, want: 1},
		"go failed, no package did":  {goExit: 1, processes: []protocol.Process{races("m/a")}, want: 1},
		"interrupted":                {goExit: 1, stopped: true, failed: []string{"m/a"}, processes: []protocol.Process{races("m/a")}, want: 1},
		"a test printed FAIL lines":  {goExit: 1, failed: []string{"m/a", "other"}, processes: []protocol.Process{races("m/a")}, want: 66},
		"known by its directory":     {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{with(races(""), func(p *protocol.Process) { p.Dir = "/a" })}, want: 66},
		"a race after the last test": {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{with(races("m/a"), func(p *protocol.Process) { p.Exit = 0 })}, want: 66},
		"external test package":      {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{races("m/a_test")}, want: 66},
		"a child failed on purpose": {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{
			races("m/a"), {PID: 30, PPID: 20, Package: "m/a", Exit: 1, Failures: 3}}, want: 66},
		"an input failed by a race": {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{
			{PID: 20, PPID: gopid, Package: "m/a", Exit: 1, Workers: 1}, {PID: 30, PPID: 20, Exit: 70, Races: 1}, {PID: 31, PPID: 20, Exit: 70}}, want: 66},
		"one input by a race, one otherwise": {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{
			{PID: 20, PPID: gopid, Package: "m/a", Exit: 1, Workers: 1}, {PID: 30, PPID: 20, Exit: 70, Races: 1}, {PID: 31, PPID: 20, Exit: 70, Failures: 1}}, want: 1},
		"an input failed otherwise, a race in a test": {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{
			{PID: 20, PPID: gopid, Package: "m/a", Exit: 1, Workers: 1, Races: 1}, {PID: 30, PPID: 20, Exit: 70, Failures: 1}}, want: 1},
		"only a child wrote a result": {goExit: 1, failed: []string{"m/a"}, processes: []protocol.Process{
			with(races("m/a"), func(p *protocol.Process) { p.PID, p.PPID = 30, 20 })}, want: 1},
		"with -exec, the topmost process counts": {goExit: 1, noPID: true, failed: []string{"m/a"}, processes: []protocol.Process{
			with(races("m/a"), func(p *protocol.Process) { p.PPID = 15 }), {PID: 30, PPID: 20, Package: "m/a", Exit: 1, Failures: 3}}, want: 66},
	} {
		t.Run(name, func(t *testing.T) {
			run := &collect.Run{Processes: c.processes}
			for _, v := range c.findings {
				run.Findings = append(run.Findings, report.Finding{Verdict: v})
			}
			o := outcome{goExit: c.goExit, interrupted: c.stopped, built: !c.notBuilt, run: run, goPID: gopid,
				failed: map[string]bool{}, dirs: map[string]string{"/a": "m/a", "/b": "m/b"}}
			if c.noPID {
				o.goPID = 0
			}
			for _, f := range c.failed {
				o.failed[f] = true
			}
			require.Equal(t, c.want, o.exitCode())
		})
	}
}

func TestVetFlags(t *testing.T) {
	for _, c := range []struct {
		value string
		flags []string
		off   bool
	}{
		{"off", nil, true}, {"all", nil, false}, {"printf,atomic", []string{"-printf", "-atomic"}, false},
	} {
		flags, off := vetFlags(&c.value, "go1.26")
		require.Equal(t, c.flags, flags)
		require.Equal(t, c.off, off)
	}
	flags, off := vetFlags(nil, "go1.26")
	require.False(t, off)
	require.Len(t, flags, len(defaultVet("go1.26")))
	empty := ""
	same, _ := vetFlags(&empty, "go1.26")
	require.Equal(t, flags, same)
}
