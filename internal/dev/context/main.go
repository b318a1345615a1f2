// Command context measures what is left of prediction in company: it runs the races of the examples
// in one process with loads that come before them, run beside them or come after them.
//
//	go run ./internal/dev/context [-run regexp] [-load regexp] [-guarded=false] [-n runs] [-p processes] [-json] [-write docs/results/contexts.md]
//
// A load is a directory of testdata/loads. Its files are laid beside the tests of each example, so
// that the load's tests and the example's are one package and one process. -run chooses among
// "example.TestName", -load among the loads' names. What a test's name says must hold in context,
// too; "guarded" is the package of race-free programs that tempt a predictor.
//
// (C1) A race is found alone if one of three runs of its package without a load shows it, or a run
// of the test by itself.
// (C2) It is found in context if a finding that fails a test names a line of the test, even if the
// process fails later.
// (C3) A finding is false if it names a race-free test, the load's among them, or no test at all.
//
// The exit status is 1 if less than 99 % of what is found alone is found in context, if anything is
// false, if a race-free test was not run, or if a race of a load's own was missed.
package main

import "github.com/racepred/racepred/internal/dev/command"

func main() { command.Main(Run) }
