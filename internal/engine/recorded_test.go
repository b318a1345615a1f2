//go:build unix

package engine_test

import (
	"flag"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/offline"
	"github.com/racepred/racepred/internal/trace"
)

var traces = flag.String("traces", "", "`directory` of recorded traces, for BenchmarkSearchesOfRecorded")

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSearchesOfRecorded measures what the searches of test processes cost there: the CPU time
// of each candidate of the traces that `racepred test -trace` wrote, with a process's window and
// budgets.
//
//	go run ./internal/dev/context -guarded=false -flags '-trace DIR'
//	go test -run - -bench SearchesOfRecorded -benchtime 1x ./internal/engine -traces DIR
func BenchmarkSearchesOfRecorded(b *testing.B) {
	if *traces == "" {
		b.Skip("-traces DIR says what is measured")
	}
	files, err := filepath.Glob(filepath.Join(*traces, "*.rptrace"))
	require.NoError(b, err)
	require.NotEmpty(b, files)
	var all []time.Duration
	verdicts := map[string]int{}
	events, apart := 0, []int{}
	for _, name := range files {
		f, err := offline.Open(name, name)
		require.NoError(b, err)
		e := engine.New(engine.Config{Window: engine.DefaultSample / 4 * 5, Deferred: func(*engine.DeferredSearch) {}}, func(f engine.Finding) {
			verdicts[string(f.Verdict)]++
			if len(f.Witness) > 0 {
				apart = append(apart, int(f.Last().Seq-f.First().Seq))
			}
		})
		n := 0
		around := func(decide func()) {
			before, since := e.Stats().Candidates, cpu()
			decide()
			for k := e.Stats().Candidates - before; k > 0; k-- {
				all = append(all, (cpu()-since)/time.Duration(e.Stats().Candidates-before))
			}
		}
		for {
			var ev trace.Event
			a, err := f.Next(&ev)
			require.NoError(b, err)
			switch {
			case a == trace.Next && n%engine.ChunkEvents == 0:
				around(func() { e.Event(ev) })
			case a == trace.Next:
				e.Event(ev)
			default:
				e.FlushEach(around)
			}
			if n++; a == trace.Ended || a == trace.Truncated {
				break
			}
		}
		events += n
		f.Close()
	}
	if len(all) == 0 || len(apart) == 0 {
		b.Skipf("%d traces, %d events, %d candidates, %v: nothing to measure", len(files), events, len(all), verdicts)
	}
	slices.Sort(all)
	slices.Sort(apart)
	b.Logf("%d traces, %d events, %d candidates, %v; CPU time of one: median %v, 95th percentile %v, worst %v; events between its accesses: median %d, most %d",
		len(files), events, len(all), verdicts, all[len(all)/2], all[len(all)*95/100], all[len(all)-1], apart[len(apart)/2], apart[len(apart)-1])
}
