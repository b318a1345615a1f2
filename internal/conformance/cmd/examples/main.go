// Command examples runs the example programs and compares racepred's findings with
// the names of the tests.
//
//	go run ./internal/conformance/cmd/examples [-tool racepred|race] [-readme] [pattern]
//
// With -tool race it asks the toolchain's own detector instead, which must see
// every TestRace... and none of the TestRacePredicted.... With -readme it
// writes examples/README.md and runs nothing. The exit status is 1 if a finding is
// false, or a race was not found.
package main

import "github.com/racepred/racepred/internal/dev/command"

func main() { command.Main(Run) }
