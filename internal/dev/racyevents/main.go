// Command racyevents counts, for each *.std trace of a directory, the accesses that race with an
// earlier one, as papers do: by happens-before, schedulable happens-before and WCP, the
// sync-preserving ones, and of the candidates of the sync-reversal extension those that have a
// witness, and those that are proven to have none.
//
//	go run ./internal/dev/racyevents [-states N] [-compare internal/dev/racyevents/testdata/published.txt] DIR
//
// With -compare, the counts are held to those of a file, which knows the traces by their content;
// the exit status is 1 if they differ.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/racepred/racepred/internal/dev/command"
	"github.com/racepred/racepred/internal/trace"
)

func main() { command.Simple(run) }

func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("racyevents", flag.ContinueOnError)
	fs.SetOutput(stderr)
	states := fs.Int("states", 200, "bound of one search for a witness")
	want := fs.String("compare", "", "hold the counts to those in the `file`")
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: racyevents [-states N] [-compare FILE] DIR")
		fs.PrintDefaults()
	}
	err := fs.Parse(args)
	if err == nil && fs.NArg() != 1 {
		err = errors.New("give the directory of the traces")
	}
	if err != nil {
		return command.Misused("racyevents", stderr, err)
	}
	if *want != "" {
		err = compare(stdout, *want, fs.Arg(0))
	} else {
		err = countAll(stdout, fs.Arg(0), *states)
	}
	return command.Done("racyevents", stderr, true, err)
}

// countAll prints the counts of each trace of a directory.
func countAll(stdout io.Writer, dir string, states int) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.std"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no *.std files in %s", dir)
	}
	out := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
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
