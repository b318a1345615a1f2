// Command examples runs the example programs and compares what racepred says of
// them with their names.
//
//	go run ./internal/conformance/cmd/examples [-tool racepred|race] [-readme] [pattern]
//
// With -tool race it asks the toolchain's own detector instead, which must see
// every TestRace... and none of the TestRacePredicted.... With -readme it
// writes examples/README.md and runs nothing. The exit status is 1 if anything was
// found that does not race, or not found that does.
package main

import "github.com/racepred/racepred/internal/dev/command"

func main() { command.Main(Run) }
