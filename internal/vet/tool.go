// Package vet runs the checks of package analyzer: as the tool that go vet starts for each package,
// and on go vet's output, from which `racepred vet` makes its report.
package vet

import (
	"flag"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/racepred/racepred/analyzer"
)

// Asked reports whether a command line, without the program's name, is one by which the go command
// asks a vet tool: -V=full, -flags, or flags and a file *.cfg.
func Asked(args []string) bool {
	for i, a := range args {
		switch last := i == len(args)-1; {
		case last && strings.HasSuffix(a, ".cfg"):
			return true
		case !strings.HasPrefix(a, "-"):
			return false
		case last:
			return a == "-V=full" || a == "-flags"
		}
	}
	return false
}

// Tool is what a vet tool does for the go command with the program's arguments. It does not return.
func Tool() {
	flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError) // the flags of tests do not belong here
	unitchecker.Main(chosen(os.Args[1:])...)
}

// chosen are the analyzers that a command line is about: those that run by default, and the opt-in
// ones that it names. All of them, if it asks which flags there are.
func chosen(args []string) []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for _, r := range analyzer.Table {
		named := len(args) == 1 && args[0] == "-flags"
		for _, a := range args {
			name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
			named = named || name == r.Analyzer.Name || strings.HasPrefix(name, r.Analyzer.Name+".")
		}
		if !r.OptIn || named {
			all = append(all, r.Analyzer)
		}
	}
	return all
}
