// Command leaks runs the programs with which the toolchain tests its own search for leaked
// goroutines: small ones for each way to wait, common patterns, and kernels of blocking bugs of
// real projects. The programs and the expected leaks are read from GOROOT; each program is run as a
// test in a process of its own.
//
//	go run ./internal/conformance/cmd/leaks [-racepred binary] [-tool racepred|go] [-n N] [-run regexp]
//
// With -tool go the toolchain's own profile is used, in programs built with its experiment. The
// exit status is 1 if an unexpected leak was reported, or a leak was not found that is always there
// according to the toolchain. The others depend on the schedule and are counted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
)

func main() { command.Main(run) }

// config is the command line.
type config struct {
	given, with, only string
	n                 int
}

func run(ctx context.Context, args []string, _, stderr io.Writer) int {
	c := &config{}
	flags := flag.NewFlagSet("leaks", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.given, "racepred", "", "the racepred `binary` (default: built from this module)")
	flags.StringVar(&c.with, "tool", "racepred", "the `tool` that looks for leaks: racepred or go")
	flags.IntVar(&c.n, "n", 3, "how often each program is run at most, until all that is expected was found")
	flags.StringVar(&c.only, "run", "", "only the programs whose name matches the `regexp`")
	if err := flags.Parse(args); err != nil {
		return command.Misused("leaks", stderr, err)
	}
	match, err := regexp.Compile(c.only)
	if err == nil && c.with != "racepred" && c.with != "go" {
		err = fmt.Errorf("-tool %s: it is racepred or go", c.with)
	}
	if err != nil {
		return command.Misused("leaks", stderr, err)
	}
	ok, err := c.run(ctx, match)
	return command.Done("leaks", stderr, ok, err)
}

// run runs the programs whose name matches, and says whether it found all expected leaks, and no
// others.
func (conf *config) run(ctx context.Context, match *regexp.Regexp) (ok bool, err error) {
	work, err := os.MkdirTemp("", "leaks-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	r := runner{work: work, n: conf.n}
	if conf.with == "racepred" {
		if r.racepred, err = tool.Binary(ctx, conf.given, work); err != nil {
			return false, err
		}
	}
	corpora, err := read(ctx)
	if err != nil {
		return false, err
	}
	var s score
	for _, c := range corpora {
		if err := r.build(ctx, &c); err != nil {
			return false, err
		}
		for _, k := range c.kernels {
			if !match.MatchString(k.name) {
				continue
			}
			found, err := r.run(ctx, &c, &k)
			if err != nil {
				return false, err
			}
			s.add(&k, found)
		}
	}
	fmt.Println(s.String())
	return s.unexpected == 0 && s.missed == 0, nil
}

// score counts expected and other leaks.
type score struct {
	programs, always, missed, sometimes, seen, unexpected, silent int
}

// add compares the leaks found in a program with those expected.
func (s *score) add(k *kernel, found []string) {
	s.programs++
	matched := make([]bool, len(k.leaks))
	for _, leak := range found {
		known := false
		for i, re := range k.leaks {
			if re.MatchString(leak) {
				matched[i], known = true, true
			}
		}
		if !known {
			s.unexpected++
			fmt.Printf("unexpected %s: %s\n", k.name, leak)
		}
	}
	some := len(k.leaks) == 0
	for i, re := range k.leaks {
		some = some || matched[i]
		switch {
		case k.flaky:
			s.sometimes++
			if matched[i] {
				s.seen++
			}
		case matched[i]:
			s.always++
		default:
			s.always++
			s.missed++
			fmt.Printf("missed %s: %s\n", k.name, re)
		}
	}
	if !some {
		s.silent++
		fmt.Printf("silent %s: %v\n", k.name, k.leaks)
	}
}

func (s *score) String() string {
	return fmt.Sprintf("leaks: %d programs, %d of them silent that have a leak; of the leaks that are always there %d of %d found, of those that depend on the schedule %d of %d; unexpected %d",
		s.programs, s.silent, s.always-s.missed, s.always, s.seen, s.sometimes, s.unexpected)
}

// stem is a name for files of a corpus.
func (c *corpus) stem() string {
	return strings.ReplaceAll(filepath.Base(c.dir), "testgoroutineleakprofile", "small")
}
