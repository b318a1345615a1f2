package trace

import (
	"fmt"
	"strings"
	"testing"
)

// benchmarkText has an event on each of its lines.
func benchmarkText(lines int) string {
	var text strings.Builder
	for n := range lines / 4 {
		g, x := n%8, n*7919%20000
		fmt.Fprintf(&text, "T%d|acq(L%d)|%d\nT%d|r(V%d.x)|%d\nT%d|w(V%d.x)|%d\nT%d|rel(L%d)|%d\n", g, x%200, 4*n, g, x, 4*n+1, g, x, 4*n+2, g, x%200, 4*n+3)
	}
	return text.String()
}

const benchmarkLines = 100_000

// BenchmarkSTD reads a text.
func BenchmarkSTD(b *testing.B) {
	text := benchmarkText(benchmarkLines)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		src := NewSTDReader(strings.NewReader(text), "")
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
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchmarkLines), "ns/line")
}

// BenchmarkSurvey goes over a text before it is read.
func BenchmarkSurvey(b *testing.B) {
	text := benchmarkText(benchmarkLines)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := NewSTDReader(nil, "").Survey(strings.NewReader(text), int64(len(text)), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchmarkLines), "ns/line")
}
