package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/racepred/racepred/internal/conformance/tool"
	"github.com/racepred/racepred/internal/dev/command"
)

// overSuites is what the commands over the suites have in common: the command line, the loop, the
// page.
type overSuites struct {
	match    *regexp.Regexp
	rounds   int
	md       string
	args     []string
	racepred string // "": built from this module
	timeout  time.Duration
}

// parse reads a command line. fs has the flags that only this command has; modules and rounds are
// defaults, and of says what rounds counts.
func (c *overSuites) parse(fs *flag.FlagSet, args []string, stderr io.Writer, modules string, rounds int, of string) error {
	c.args = args
	fs.SetOutput(stderr)
	match := fs.String("modules", modules, "only the modules whose path matches the `regexp`")
	fs.IntVar(&c.rounds, "rounds", rounds, of)
	fs.StringVar(&c.md, "md", "", "write the tables to the `file` too")
	fs.DurationVar(&c.timeout, "timeout", 10*time.Minute, "end a run after this `duration`")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var err error
	if c.match, err = regexp.Compile(*match); err != nil {
		return fmt.Errorf("-modules: %w", err)
	}
	return nil
}

// each calls do with each suite that matches, the binary of racepred, and a directory of its own
// that does not exist.
func (c *overSuites) each(ctx context.Context, do func(s suite, binary, dir string) error) error {
	tmp, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	binary, err := tool.Binary(ctx, c.racepred, tmp)
	if err != nil {
		return err
	}
	matched := false
	for i, s := range suites {
		if !c.match.MatchString(s.Module) {
			continue
		}
		matched = true
		dir := filepath.Join(tmp, fmt.Sprint(i))
		if err := do(s, binary, dir); err != nil {
			return err
		}
		os.RemoveAll(dir)
	}
	if !matched {
		return fmt.Errorf("no module matches %v", c.match)
	}
	return nil
}

// publish writes the page of the command with that name to its file, if there is one, and to stdout.
func (c *overSuites) publish(page, name string, stdout io.Writer) error {
	if c.md != "" {
		if err := command.WritePage(c.md, page, "go run ./bench "+name, c.args...); err != nil {
			return err
		}
	}
	_, err := io.WriteString(stdout, page)
	return err
}
