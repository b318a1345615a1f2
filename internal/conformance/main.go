// Command conformance scores racepred against the toolchain's own race tests
// (runtime/race/testdata): every TestRace... must be reported, no TestNoRace... may be.
//
//	go run ./internal/conformance [-go go1.26.8] [-write docs/results/conformance.md]
//
// With -from internal/conformance/testdata/guarded it runs our own programs: those that never race
// but look as if another schedule might, and beside them twins that do race.
// docs/results/guarded.md is the page of these, and docs/results/guarded-sampled.md with
// RACEPRED_OPTS=sample=1,flip=on, which makes a position busy after its first record.
//
// The tests are copied from the toolchain into a temporary module, adapted to build without the
// race tag (package upstream), run as the toolchain's driver runs them (package tool), and scored
// as it scores them, though stricter about what a found race is (package score). Why a test is
// missed is looked up in causes.txt; one that has no cause there is run up to two times more, by
// itself. The exit status is 1 if anything was reported that does not race, if a race without a
// cause was not found, or if causes.txt has a cause for a test that is found.
package main

import "github.com/racepred/racepred/internal/dev/command"

func main() { command.Main(Run) }
