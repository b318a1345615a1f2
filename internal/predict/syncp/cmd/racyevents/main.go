// Command racyevents counts, for each *.std trace of a directory, the accesses that race with an earlier one, as papers do: by
// happens-before, by WCP, as candidates of SyncP, and of those the ones that have a witness without turning sections
// round and in any order of sections.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/syncp"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness"
)

func main() {
	states := flag.Int("states", 200, "bound of one search for a witness")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: racyevents [-states N] DIR")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *states); err != nil {
		fmt.Fprintln(os.Stderr, "racyevents:", err)
		os.Exit(1)
	}
}

func run(dir string, states int) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.std"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no *.std files in %s", dir)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "trace\tevents\thb\twcp\tsyncp candidates\tin order\tin any order\tpairs\tseconds\t")
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		evs, err := trace.ParseSTD(file)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c := count(evs, states)
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t\n", filepath.Base(name), len(evs),
			c.hb, c.wcp, c.candidates, c.inOrder, c.anyOrder, c.pairs, c.took.Seconds())
	}
	return out.Flush()
}

type counts struct {
	hb, wcp, candidates, inOrder, anyOrder int
	pairs                                  int // that were asked about
	took                                   time.Duration
}

// count gives every event a source position of its own, so that no pair is left out for having been seen before.
func count(evs []trace.Event, states int) (c counts) {
	start := time.Now()
	for i := range evs {
		evs[i].Site = trace.Site(i + 1)
	}
	earlier := func(create func(func(predict.Candidate)) predict.Predictor) map[trace.Seq][]trace.Seq {
		all := map[trace.Seq][]trace.Seq{}
		p := create(func(c predict.Candidate) { all[c.Second.Seq] = append(all[c.Second.Seq], c.First.Seq) })
		for i := range evs {
			p.Event(trace.Seq(i), &evs[i])
		}
		return all
	}
	c.hb = len(earlier(func(f func(predict.Candidate)) predict.Predictor { return hb.New(f) }))
	c.wcp = len(earlier(func(f func(predict.Candidate)) predict.Predictor { return wcp.New(f) }))
	all := earlier(func(f func(predict.Candidate)) predict.Predictor {
		return syncp.New(syncp.Config{Complete: true, PerWord: len(evs)}, f)
	})
	c.candidates = len(all)
	finder := witness.New(evs, witness.Options{States: states})
	for second, firsts := range all {
		inOrder, anyOrder := false, false
		for _, first := range firsts {
			c.pairs++
			a := finder.Find(int32(first), int32(second))
			anyOrder = anyOrder || a.Verdict == witness.Feasible
			if inOrder = a.Verdict == witness.Feasible && a.States == 0; inOrder {
				break
			}
		}
		if inOrder {
			c.inOrder++
		}
		if anyOrder {
			c.anyOrder++
		}
	}
	c.took = time.Since(start)
	return c
}
