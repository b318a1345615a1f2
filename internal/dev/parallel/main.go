// Command parallel runs tests that call T.Parallel again and again, in several ways, and counts the
// runs in which each of their races was found.
//
//	go run ./internal/dev/parallel [-runs 40] [-tool racepred|race] [-go toolchain]
//
// The scheduler decides whether the bodies of parallel tests run at the same time; the race must be
// found in any case. The exit status is 1 if a test named Race was not reported in every run, one
// named NoRace was reported in any, or the tests did not fail as tests with races do.
package main

import "github.com/racepred/racepred/internal/dev/command"

func main() { command.Main(Run) }
