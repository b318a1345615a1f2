package gotestplugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
)

// Run is the racepred command. It takes everything from its arguments, prints to the given streams
// and returns the exit code; args begins after the command's name. Run hands a signal that would
// end the command on to go test, and returns when go test has ended and the temporary files are
// removed.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string, dir string) int {
	return RunAs(ctx, "", args, stdin, stdout, stderr, env, dir)
}

// RunAs is Run for a program that is the racepred command and nothing else, in the file self. RunAs
// starts self once more: if the first process is killed, the second one ends what is left of the
// run.
func RunAs(ctx context.Context, self string, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string, dir string) int {
	c := &call{streams: streams{stdin, stdout, stderr}, self: self, env: env, dir: dir, parts: real}
	return c.run(ctx, args)
}

// call is one call of the command.
type call struct {
	streams
	self  string // "" when this program is not the command
	env   []string
	dir   string
	parts parts
}

// subcommand is one word after "racepred".
type subcommand struct {
	name, short string
	run         func(*call, context.Context, []string) error
	help        func() string
}

// subcommands in the order help lists them.
func subcommands() []subcommand {
	return []subcommand{
		{"test", "run the tests of packages and predict races from that one run", (*call).test, testHelp},
		{"vet", "look for races, deadlocks and wrong uses of locks in the source", (*call).vet, vetHelp},
		{"analyze", "report the races in recorded traces", (*call).analyze, analyzeHelp},
		{"baseline", "write down which findings of reports are known", (*call).baseline, baselineHelp},
		{"merge", "make one report of several", (*call).merge, mergeHelp},
		{"diff", "say how two reports differ", (*call).diff, diffHelp},
		{"trace", "look into recorded traces, check and convert them", (*call).trace, traceHelp},
		{"version", "print the version of racepred", (*call).version, func() string { return "usage: racepred version\n" }},
		{"help", "explain a subcommand", (*call).help, func() string { return "usage: racepred help [subcommand]\n" }},
	}
}

// errHelp asks for the help of the subcommand at hand.
var errHelp = errors.New("help requested")

// exitError ends the command with an exit code. Nothing is printed for it.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func (c *call) run(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == toolWord {
		return c.tool(args[1:])
	}
	if c.self != "" && len(args) > 0 && args[0] == guardWord {
		signal.Ignore(handled...) // they are sent to racepred, which ends in order then
		return runGuard(args[1:], c.in)
	}
	ctx, stop := c.untilSignal(ctx)
	defer stop()
	if len(args) == 0 {
		fmt.Fprint(c.err, overview())
		return exitUsage
	}
	switch args[0] {
	case "-h", "-help", "--help":
		args = []string{"help"}
	case "-version", "--version":
		args = []string{"version"}
	}
	for _, s := range subcommands() {
		if s.name != args[0] {
			continue
		}
		err := s.run(c, ctx, args[1:])
		if errors.Is(err, errHelp) {
			fmt.Fprint(c.out, s.help())
			return exitClean
		}
		return c.report(s.name, err)
	}
	return c.report("", usagef("unknown subcommand %q", args[0]))
}

// report prints what went wrong to stderr, and returns the exit code for it.
func (c *call) report(name string, err error) int {
	var exit exitError
	var usage usageError
	var input inputError
	var failed goFailed
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &failed): // the go command's own words
		_, _ = c.err.Write(failed.stderr)
		if errors.As(err, &usage) {
			return exitUsage
		}
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(c.err, "racepred: %v (run '%s' for usage)\n", err, strings.TrimSpace("racepred help "+name))
		return exitUsage
	case errors.As(err, &input):
		fmt.Fprintf(c.err, "racepred: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(c.err, "racepred: %v\n", err)
	return exitFailed
}

// untilSignal ends the context, with the signal as the cause, when one arrives.
func (c *call) untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, handled...)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			cancel(killedBy{s})
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

func (c *call) version(_ context.Context, args []string) error {
	if len(args) > 0 {
		return usagef("version takes no arguments")
	}
	fmt.Fprintf(c.out, "racepred %s\n", version())
	return nil
}

// version is the module version racepred was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func (c *call) help(_ context.Context, args []string) error {
	switch len(args) {
	case 0:
		fmt.Fprint(c.out, overview())
		return nil
	case 1:
		for _, s := range subcommands() {
			if s.name == args[0] {
				fmt.Fprint(c.out, s.help())
				return nil
			}
		}
	}
	return usagef("no help for %q", strings.Join(args, " "))
}
