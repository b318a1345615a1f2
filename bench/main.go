// Command bench runs the tests of real modules under go test, go test -race and
// racepred test, and prints as Markdown how long each took and whether they agree.
//
//	go run ./bench [-n 3] [-racepred file] [module@version ...]
//
// The modules come from the module proxy, are copied to a temporary directory
// and forgotten afterwards. The three commands are first run once to build, then n
// times in turn, so that a busy machine disturbs all alike; the times are medians.
// The exit status is 1 if racepred's tests came out differently from plain go test's.
package main

import (
	"context"
	"os"
	"os/signal"
)

// standard are the modules that are measured when none is named: small,
// self-contained, and busy with goroutines.
var standard = []string{
	"golang.org/x/sync@v0.24.0",
	"github.com/hashicorp/golang-lru/v2@v2.0.7",
	"github.com/sourcegraph/conc@v0.3.0",
	"github.com/jackc/puddle/v2@v2.2.3",
	"github.com/alitto/pond/v2@v2.7.1",
	"github.com/gammazero/workerpool@v1.3.0",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
