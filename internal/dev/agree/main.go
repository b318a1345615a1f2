// Command agree compares this module's oracle and predictors with an independent oracle, written in Python, on random traces:
//
//	go run ./internal/dev/agree -oracle DIR -n 10000
//
// DIR has oracle.py and gen_trace.py; one Python process answers for all traces. Half of the traces are package oracle's, with fork and
// join and locks that do not nest, half are gen_trace.py's, with planted patterns. Compared are
//
//   - the relations HB, SHB and WCP of package oracle, event by event;
//   - the predictable and the sync-preserving races of package oracle, pair by pair, and whether there is a predictable deadlock;
//   - the later accesses of the pairs of predictors hb, shb and wcp, and the pairs of syncp (wcp may have fewer where sections do not nest);
//   - that every pair with a witness is a race, and how many races have one.
//
// Every difference is printed with its trace, and makes the exit code 1. Without -oracle it says what is missing, and does nothing.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	dir := flag.String("oracle", "", "`directory` with oracle.py and gen_trace.py")
	n := flag.Int("n", 10_000, "how many traces")
	seed := flag.Uint64("seed", 1, "of the first trace")
	python := flag.String("python", "python3", "Python 3")
	flag.Parse()
	if *dir == "" {
		fmt.Fprintln(os.Stderr, "agree: give the directory of an independent oracle (oracle.py, gen_trace.py) with -oracle")
		os.Exit(2)
	}
	c, err := compare(*python, *dir, *n, *seed)
	if err != nil {
		fmt.Fprintln(os.Stderr, "agree:", err)
		os.Exit(1)
	}
	c.print(os.Stdout)
	if c.differences > 0 {
		os.Exit(1)
	}
}
