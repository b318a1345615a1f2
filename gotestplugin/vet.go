package gotestplugin

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/vet"
)

// defaultVet is the subset of go vet that the go test of that version runs by itself.
func defaultVet(goVersion string) []string {
	if before(goVersion, "go1.27") {
		return []string{"atomic", "bool", "buildtags", "directive", "errorsas", "ifaceassert", "nilfunc", "printf", "slog", "stringintconv", "tests"}
	}
	return []string{"atomic", "bools", "buildtag", "directive", "errorsas", "ifaceassert", "nilfunc", "printf", "slog", "stdversion", "stringintconv", "tests"}
}

// vetFlags are the flags of go vet for the value of go test's -vet; off means
// that nothing is to be vetted.
func vetFlags(value *string, goVersion string) (flags []string, off bool) {
	names := defaultVet(goVersion)
	if value != nil && *value != "" {
		names = strings.Split(*value, ",")
	}
	for _, name := range names {
		switch name {
		case "off":
			return nil, true
		case "all":
			return nil, false
		}
		flags = append(flags, "-"+name)
	}
	return flags, false
}

// vet runs go test's vet on the code as the user wrote it and returns the
// import paths of the packages that fail it: plain go test then says why.
// Packages that do not compile, or whose imports are not found, are not among them;
// broken are those that do not compile, as far as vet names them, by import path.
func (f *foundation) vet(ctx context.Context, a *args, gr *graph, goVersion string) (failing []string, broken map[string]bool, err error) {
	flags, off := vetFlags(a.vet, goVersion)
	if off {
		return nil, nil, nil
	}
	packages := a.packages
	if paths, all := gr.loadable(); !all && !gr.fromFiles() { // go vet would look at none of them, where go test runs the others
		if packages = paths; len(paths) == 0 {
			return nil, nil, nil
		}
	}
	cmd := append([]string{"vet", "-json"}, flags...)
	cmd = append(append(cmd, f.flags...), packages...)
	stdout, stderr, err := f.goCmd.output(ctx, cmd...)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() == 2:
		return nil, nil, goFailed{stderr, usageError{"-vet"}}
	case err != nil && exit == nil:
		return nil, nil, err
	}
	named := map[string]bool{}
	for _, p := range gr.named {
		named[p.ImportPath] = true
	}
	found, _, _ := vet.Parse(slices.Concat(stdout, stderr)) // up to Go 1.25 it is all in stderr
	for i := range found {
		path := found[i].Package
		if !named[path] {
			path = strings.TrimSuffix(path, "_test")
		}
		if named[path] && !slices.Contains(failing, path) { // a package and its external tests need not be neighbours
			failing = append(failing, path)
		}
	}
	slices.Sort(failing)
	return failing, compileErrors(stderr), nil
}

// compileErrors reads the standard error of go vet: the packages, by import path, that it says do
// not compile:
//
//	# PACKAGE                  of a package that others import
//	file.go:2:23: undefined: x
//	# PACKAGE
//	# [PACKAGE]                of one that it looks at, or of its external tests
//	vet: file.go:3:28: undefined: x
func compileErrors(stderr []byte) map[string]bool {
	broken := map[string]bool{}
	path := ""
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimSpace(line)
		switch name, header := strings.CutPrefix(line, "# "); {
		case header && !strings.HasPrefix(name, "["):
			path, _, _ = strings.Cut(name, " ")
		case header || path == "":
		case strings.HasPrefix(line, "vet: ") || compileError.MatchString(line) && !strings.Contains(line, ": warning: "): // a C compiler's is none
			broken[path] = true
		}
	}
	return broken
}

var compileError = regexp.MustCompile(`^\S+\.go:\d+:\d+: `)
