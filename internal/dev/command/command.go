// Package command has what the commands of racepred's own developers share: how they begin, their
// exit statuses, and the pages that they write.
//
// The exit status is 0 if all is well, 1 if it is not or something failed, and 2 if the command
// line is wrong.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"
)

// Main runs a command and exits with its status. An interrupt ends the context, and the command
// must end then.
func Main(run func(ctx context.Context, args []string, stdout, stderr io.Writer) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Simple runs a command that an interrupt may kill, and exits with its status.
func Simple(run func(args []string, stdout, stderr io.Writer) int) {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// Misused prints an error in the command line and is the exit status. Asking for help is no error.
func Misused(name string, stderr io.Writer, err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	return 2
}

// Done prints the error, if there is one, and is the exit status. good says whether all is well.
func Done(name string, stderr io.Writer, good bool, err error) int {
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
	}
	if err != nil || !good {
		return 1
	}
	return 0
}

// Print prints a result, as JSON or as the text of its page.
func Print(stdout io.Writer, asJSON bool, result any, text string) error {
	if !asJSON {
		fmt.Fprint(stdout, text)
		return nil
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", "  ")
	return e.Encode(result)
}

// WritePage writes a generated page to a file: the text, and a line that says which command made
// it, when, and on what. docs/results has the latest page of each.
func WritePage(file, text, command string, args ...string) error {
	return os.WriteFile(file, []byte(text+"\n"+made(command, args...)), 0o666)
}

// made is that line. -racepred and its value are left out: the binary is somewhere else for
// everybody, and built from this module. The value of -rapid is DIR, as that is somewhere else,
// too.
func made(command string, args ...string) string {
	words := []string{command}
	for i := 0; i < len(args); i++ {
		switch name := strings.TrimLeft(args[i], "-"); {
		case name == "racepred" && name != args[i]:
			i++
		case strings.HasPrefix(name, "racepred=") && name != args[i]:
		case name == "rapid" && name != args[i]:
			words = append(words, args[i], "DIR")
			i++
		case strings.HasPrefix(name, "rapid=") && name != args[i]:
			words = append(words, "-rapid", "DIR")
		default:
			words = append(words, args[i])
		}
	}
	return fmt.Sprintf("Made by `%s`, %s, %s, %s/%s with %d processors.\n", strings.Join(words, " "),
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
