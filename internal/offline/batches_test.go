package offline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report/collect"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/gen"
)

// TestASurveyChangesNothing: with a survey of the text before, the engine finds what it finds
// without.
func TestASurveyChangesNothing(t *testing.T) {
	for seed := range uint64(20) {
		m := gen.Mix{Events: 3000, Goroutines: 4, Locks: 5, Shared: 40, Own: 10, Sites: 60, Depth: 3, Length: 4, Quantum: 10,
			Enter: .2, Nest: .2, Write: .4, Local: .3, Unsafe: .02, Seed: seed, Plants: gen.Every(2)}
		events, _, err := trace.ReadAll(m.New())
		require.NoError(t, err)
		var text strings.Builder
		for _, ev := range events {
			operand := fmt.Sprintf("V%x", ev.Addr)
			if ev.Kind.Spec().Operand == trace.OnG {
				operand = fmt.Sprintf("T%d", ev.Other)
			}
			fmt.Fprintf(&text, "T%d|%s(%s)|%d\n", ev.G, trace.STDNames[ev.Kind], operand, ev.Site)
		}

		var want []engine.Finding
		e := engine.New(engine.Config{Complete: true}, func(f engine.Finding) { want = append(want, f) })
		plain, err := trace.ParseSTD(strings.NewReader(text.String()))
		require.NoError(t, err)
		for i := range plain {
			e.Take(&plain[i])
		}
		e.Ended()
		e.Flush()

		f := open(t, file(t, "a.std", text.String()))
		var got []engine.Finding
		e = engine.New(engine.Config{Complete: true}, func(f engine.Finding) { got = append(got, f) })
		next, stop, err := Config{}.batches(f, true)
		require.NoError(t, err)
		defer stop()
		alone := 0
		for {
			evs, answer, err := next()
			require.NoError(t, err)
			if answer != trace.Next {
				break
			}
			for i := range evs {
				if evs[i].Alone {
					alone++
				}
				e.Take(&evs[i])
			}
		}
		e.Ended()
		e.Flush()
		require.Equal(t, want, got)
		require.Greater(t, alone, 500)

		run := &collect.Run{}
		require.NoError(t, Config{}.Analyze(open(t, file(t, "b.std", text.String())), run))
		require.Len(t, run.Findings, len(want))
	}
}
