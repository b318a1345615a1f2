package gotestplugin

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// newFlags is an empty set of flags for a subcommand that is racepred's own.
func newFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

// parse reads a command line, flags before files.
func parse(f *flag.FlagSet, argv []string) error {
	switch err := f.Parse(argv); {
	case errors.Is(err, flag.ErrHelp):
		return errHelp
	case err != nil:
		return usageError{err.Error()}
	}
	return nil
}

// flagHelp lists the flags of a set as testHelp does.
func flagHelp(f *flag.FlagSet) string {
	var b strings.Builder
	f.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %s\n", strings.TrimSpace("-"+f.Name+" "+value))
		for _, line := range wrap(text, 72) {
			fmt.Fprintf(&b, "      %s\n", line)
		}
	})
	return b.String()
}
