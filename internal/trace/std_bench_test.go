package trace

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkSTD reads a text of 100,000 lines, an event each.
func BenchmarkSTD(b *testing.B) {
	var text strings.Builder
	const lines = 100_000
	for n := range lines / 4 {
		g, x := n%8, n*7919%20000
		fmt.Fprintf(&text, "T%d|acq(L%d)|%d\nT%d|r(V%d.x)|%d\nT%d|w(V%d.x)|%d\nT%d|rel(L%d)|%d\n", g, x%200, 4*n, g, x, 4*n+1, g, x, 4*n+2, g, x%200, 4*n+3)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		src := NewSTDReader(strings.NewReader(text.String()), "")
		var ev Event
		for n := 0; ; n++ {
			a, err := src.Next(&ev)
			if err != nil {
				b.Fatal(err)
			}
			if a != Next {
				break
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lines), "ns/line")
}
