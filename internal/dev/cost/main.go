// Command cost measures what rewriting costs, next to what the go command does with the same
// packages.
//
//	go run ./internal/dev/cost [-module path@version] [-cold=false] [-warm=false] [-rounds n] [-gocache dir] [-md file] [packages]
//
// Cold, everything has an empty build cache of its own: go vet, and the rewriter without any cached
// unit. Both have the dependencies compiled first; that is counted on both sides. Warm, nothing has
// changed since the last time: go test -run '^$' with its results cached, the same with -count=1
// (which links and starts every test binary), and the rewriter with all units cached. The
// rewriter's time has everything in it: go list, the keys, reading the cache.
//
// Each measurement is a process of its own. CPU is user and system time of it and its children;
// wall time is only of use on an idle machine. Of several rounds, in turn, the medians count.
//
// docs/results/cost.md is the page (-md).
package main

import (
	"context"
	"flag"
	"io"

	"github.com/racepred/racepred/internal/dev/command"
)

func main() { command.Main(run) }

// config is the command line.
type config struct {
	module     string
	dir        string
	cold, warm bool
	rounds     int
	gocache    string
	rewrite    string
	md         string
	args       []string
	patterns   []string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &config{args: args}
	fs := flag.NewFlagSet("cost", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.module, "module", "golang.org/x/tools@v0.52.0", "the `module` to rewrite")
	fs.StringVar(&c.dir, "C", "", "the module's `directory`, instead of a copy of -module")
	fs.BoolVar(&c.cold, "cold", true, "measure with empty caches")
	fs.BoolVar(&c.warm, "warm", true, "measure with warm caches and nothing changed")
	fs.IntVar(&c.rounds, "rounds", 3, "how often each warm measurement is made")
	fs.StringVar(&c.gocache, "gocache", "", "the build cache for the warm measurements, a `directory` (default: an empty one, filled first)")
	fs.StringVar(&c.rewrite, "rewrite", "", "only rewrite, with the cache in this `directory` (what is measured)")
	fs.StringVar(&c.md, "md", "", "write the page to the `file` too")
	if err := fs.Parse(args); err != nil {
		return command.Misused("cost", stderr, err)
	}
	c.patterns = fs.Args()
	if len(c.patterns) == 0 {
		c.patterns = []string{"./go/...", "./internal/..."}
	}
	do := c.measure
	if c.rewrite != "" {
		do = c.rewriteOnce
	}
	return command.Done("cost", stderr, true, do(ctx, stdout))
}
