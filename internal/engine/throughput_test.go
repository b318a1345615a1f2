package engine_test

import (
	"testing"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

// BenchmarkEvent is the time of one event in a stream of b.N, by workload and predictor.
// internal/dev/throughput measures the same in processes of their own, with memory.
func BenchmarkEvent(b *testing.B) {
	predictors := []struct {
		name string
		new  func() func(trace.Seq, *trace.Event)
	}{
		{"hb", func() func(trace.Seq, *trace.Event) {
			return hb.New(predict.Config{}, func(predict.Candidate) {}).Event
		}},
		{"wcp", func() func(trace.Seq, *trace.Event) {
			return wcp.New(predict.Config{}, func(predict.Candidate) {}).Event
		}},
		{"engine", func() func(trace.Seq, *trace.Event) {
			e := engine.New(engine.Config{}, func(engine.Finding) {})
			return func(_ trace.Seq, ev *trace.Event) { e.Event(*ev) }
		}},
	}
	for _, w := range gen.Workloads {
		for _, p := range predictors {
			b.Run("trace="+w.Name+"/of="+p.name, func(b *testing.B) {
				t, event := w.New(b.N, 1), p.new()
				batch := make([]trace.Event, 1<<13)
				b.ResetTimer()
				for n := 0; n < b.N; {
					b.StopTimer()
					k := min(t.Fill(batch), b.N-n)
					b.StartTimer()
					for i := range batch[:k] {
						event(trace.Seq(n+i), &batch[i])
					}
					n += k
				}
			})
		}
	}
}

// BenchmarkFlushWorkloads looks for witnesses of what was proposed in 100,000 events. A flush holds
// the program up, so pairs whose search takes long have to be given up.
func BenchmarkFlushWorkloads(b *testing.B) {
	for _, w := range gen.Workloads {
		b.Run("trace="+w.Name, func(b *testing.B) {
			var s engine.Stats
			for range b.N {
				b.StopTimer()
				e := engine.New(engine.Config{}, func(engine.Finding) {})
				t := w.New(100_000, 1)
				batch := make([]trace.Event, 1<<13)
				for n := 0; n < 100_000; {
					k := min(t.Fill(batch), 100_000-n)
					for i := range batch[:k] {
						e.Event(batch[i])
					}
					n += k
				}
				b.StartTimer()
				e.Flush()
				s = e.Stats()
			}
			b.ReportMetric(float64(s.Candidates), "pairs/op")
			b.ReportMetric(float64(s.Unknown), "unknown/op")
		})
	}
}
