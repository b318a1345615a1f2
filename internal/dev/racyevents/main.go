// Command racyevents counts, for each *.std trace of a directory, the accesses that race with an earlier one, as papers do: by
// happens-before, schedulable happens-before and WCP, the sync-preserving ones, and of the candidates of the sync-reversal extension those
// that have a witness, and those that are proven to have none.
//
//	go run ./internal/dev/racyevents [-states N] [-compare internal/dev/racyevents/testdata/published.txt] DIR
//
// With -compare, the counts are held to those of a file, which knows the traces by their content; the exit status is 1 if they differ.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/racepred/racepred/internal/trace"
)

func main() {
	states := flag.Int("states", 200, "bound of one search for a witness")
	want := flag.String("compare", "", "hold the counts to those in the `file`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: racyevents [-states N] [-compare FILE] DIR")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	err := error(nil)
	if *want != "" {
		err = compare(*want, flag.Arg(0))
	} else {
		err = run(flag.Arg(0), *states)
	}
	if err != nil {
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
	fmt.Fprintln(out, "trace\tevents\thb\tshb\twcp\tsyncp\tsyncrev\tof candidates\tinfeasible\tseconds\t")
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
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t\n", filepath.Base(name), len(evs),
			c.hb, c.shb, c.wcp, c.syncp, c.proven, c.candidates, c.infeasible, c.took.Seconds())
	}
	return out.Flush()
}
