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

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
