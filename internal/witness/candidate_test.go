package witness_test

import (
	"slices"
	"testing"

	"github.com/racepred/racepred/internal/dev/cputime"
	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
	"github.com/racepred/racepred/internal/witness"
)

// BenchmarkCandidate gives the CPU time of candidates in traces of 300,000 events, each with a
// Finder of its own for all of them: the median, the 95th percentile and the worst. In -mixed
// traces, sections access variables of other locks now and then, all over the trace.
func BenchmarkCandidate(b *testing.B) {
	const events = 300_000
	mix := gen.Mix{Events: events, Goroutines: 8, Locks: 200, Shared: 20_000, Own: 50, Sites: 5000, Depth: 2, Near: 4, Length: 5, Quantum: 20,
		Enter: .1, Nest: .05, Write: .3, Local: .3, Seed: 1, Plants: gen.Every(5)}
	few := mix
	few.Locks, few.Shared = 20, 2000
	unsafe, both := mix, few
	unsafe.Unsafe, both.Unsafe = .002, .002
	for name, m := range map[string]gen.Mix{"locks=200": mix, "locks=20": few, "locks=200-mixed": unsafe, "locks=20-mixed": both} {
		evs := make([]trace.Event, 2*events)
		evs = evs[:m.New().Fill(evs)]
		var pairs [][2]int32
		p := wcp.New(predict.Config{}, func(c predict.Candidate) {
			if c.Standing == predict.Hidden {
				pairs = append(pairs, [2]int32{int32(c.First().Seq), int32(c.Last().Seq)})
			}
		})
		for i := range evs {
			p.Event(trace.Seq(i), &evs[i])
		}
		for len(pairs) > 200 {
			pairs = slices.Delete(pairs, 100, 101)
		}
		for _, dropped := range []bool{false, true} {
			b.Run(name+map[bool]string{true: "/dropped", false: "/complete"}[dropped], func(b *testing.B) {
				var all []float64
				verdicts := map[witness.Verdict]int{}
				for b.Loop() {
					for _, p := range pairs {
						start := cputime.Now()
						a := witness.New(evs, witness.Options{Dropped: dropped}).Find(goal.RaceOf(p[0], p[1]))
						all = append(all, float64(cputime.Now()-start)/1e6)
						verdicts[a.Verdict]++
					}
				}
				if len(all) == 0 {
					return
				}
				slices.Sort(all)
				b.ReportMetric(all[len(all)/2], "ms-median")
				b.ReportMetric(all[len(all)*95/100], "ms-p95")
				b.ReportMetric(all[len(all)-1], "ms-worst")
				b.ReportMetric(float64(verdicts[witness.Unknown])/float64(len(all)), "unknown")
				b.Log(len(pairs), verdicts)
			})
		}
	}
}
