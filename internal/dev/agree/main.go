// Command agree compares this module's oracle and predictors with an independent oracle, written in
// Python, on random traces:
//
//	go run ./internal/dev/agree -oracle DIR -n 10000
//
// DIR has oracle.py and gen_trace.py; one Python process checks all traces. Half of the traces are
// package oracle's, with fork and join and locks that do not nest, half are gen_trace.py's, with
// planted patterns. Compared are
//
//   - the relations HB, SHB and WCP of package oracle, event by event;
//   - the predictable and the sync-preserving races of package oracle, pair by pair, and whether
//     there is a predictable deadlock;
//   - the later accesses of the pairs of predictors hb, shb and wcp, and the pairs of syncp (wcp
//     may have fewer where sections do not nest);
//   - that every pair with a witness is a race, and how many races have one.
//
// Every difference is printed with its trace, and makes the exit code 1. Without -oracle it says
// what is missing, and does nothing.
package main

import (
	"errors"
	"flag"
	"io"

	"github.com/racepred/racepred/internal/dev/command"
)

func main() { command.Simple(Run) }

// Run is the command: 0 no difference, 1 differences or an error, 2 wrong usage.
func Run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("agree", flag.ContinueOnError)
	fs.SetOutput(stderr)
	dir := fs.String("oracle", "", "`directory` with oracle.py and gen_trace.py")
	n := fs.Int("n", 10_000, "how many traces")
	seed := fs.Uint64("seed", 1, "of the first trace")
	python := fs.String("python", "python3", "Python 3")
	err := fs.Parse(args)
	if err == nil && *dir == "" {
		err = errors.New("give the directory of an independent oracle (oracle.py, gen_trace.py) with -oracle")
	}
	if err != nil {
		return command.Misused("agree", stderr, err)
	}
	c, err := compare(*python, *dir, *n, *seed)
	if err == nil {
		c.print(stdout)
	}
	return command.Done("agree", stderr, err == nil && c.differences == 0, err)
}
