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

// parseMixed reads a command line with flags before, between and after the files, which it returns.
func parseMixed(f *flag.FlagSet, argv []string) (files []string, err error) {
	for {
		if err := parse(f, argv); err != nil {
			return nil, err
		}
		rest := f.Args()
		if len(rest) == 0 {
			return files, nil
		}
		if taken := len(argv) - len(rest); taken > 0 && argv[taken-1] == "--" {
			return append(files, rest...), nil
		}
		files, argv = append(files, rest[0]), rest[1:]
	}
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
