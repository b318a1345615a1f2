package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/trace/tracefile"
)

// median of several results of one case, by time; the peak is the largest.
func median(rs []result) result {
	slices.SortFunc(rs, func(a, b result) int {
		switch {
		case a.Seconds < b.Seconds:
			return -1
		case a.Seconds > b.Seconds:
			return 1
		}
		return 0
	})
	m := rs[len(rs)/2]
	for _, r := range rs {
		m.Peak = max(m.Peak, r.Peak)
	}
	return m
}

func (r *result) speed() float64 { return float64(r.Events) / r.Seconds }

func (r *result) nanos() float64 { return r.Seconds * 1e9 / float64(r.Events) }

func measure(o options, out io.Writer) error {
	fmt.Fprintln(out, "| trace | events | predictors | M events/s | ns/event | of hb | of first | peak MB | queue | candidates | evicted | search s | predicted |")
	fmt.Fprintln(out, "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, w := range o.workloads {
		all := make([][][]result, len(o.events))
		for range o.times {
			for l, n := range o.events {
				if all[l] == nil {
					all[l] = make([][]result, len(o.predictors))
				}
				for i, p := range o.predictors {
					r, err := start(p, w, strconv.Itoa(n))
					if err != nil {
						return err
					}
					all[l][i] = append(all[l][i], r)
				}
			}
		}
		first := make([]float64, len(o.predictors))
		for l := range o.events {
			var base float64
			for i, p := range o.predictors {
				r := median(all[l][i])
				if p == "hb" {
					base = r.nanos()
				}
				if l == 0 {
					first[i] = r.nanos()
				}
				of, queue := "", ""
				if base > 0 {
					of = fmt.Sprintf("%.1fx", r.nanos()/base)
				}
				search := " | "
				if p == "analysis" {
					search = fmt.Sprintf("%.2f | %d", r.Search, r.Predicted)
				}
				if r.Queue >= 0 {
					queue = strconv.Itoa(r.Queue)
				}
				fmt.Fprintf(out, "| %s | %d | %s | %.1f | %.0f | %s | %.2fx | %d | %s | %d | %d | %s |\n",
					strings.TrimSuffix(filepath.Base(w), tracefile.Suffix), r.Events, p, r.speed()/1e6, r.nanos(), of, r.nanos()/first[i], r.Peak, queue, r.Candidates, r.Evicted, search)
			}
		}
	}
	return nil
}
