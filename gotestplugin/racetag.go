package gotestplugin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/build/constraint"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// With -tags race, files of the tested modules are chosen as under -race: a file with the constraint race is compiled, one with !race is not. The go command must not be given the
// tag, since the library has such files, too. So each file whose constraint has the tag is replaced, in an overlay, by itself with that
// constraint turned around: where the tag stands, its opposite does.

const raceTag = "race"

// takeTag removes a tag from a list as -tags has it, and reports whether it was there.
func takeTag(list, tag string) (rest string, found bool) {
	tags := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	others := slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return t == tag })
	return strings.Join(others, ","), len(others) < len(tags)
}

// applyRaceTag makes the go command compile what it compiles under -race, if -tags has race.
func (j *job) applyRaceTag(ctx context.Context) error {
	if !j.args.race {
		return nil
	}
	out, stderr, err := j.goCmd.output(ctx, "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return goFailed{stderr, err}
	}
	overlay, err := readOverlay(j.args.overlay, j.dir)
	if err != nil {
		return err
	}
	j.args.turnedOnly = len(overlay) == 0
	if overlay == nil {
		overlay = map[string]string{}
	}
	dir := filepath.Join(j.cache, "tags")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cache directory (RACEPRED_CACHE): %w", err)
	}
	for root := range strings.Lines(string(out)) {
		if root = strings.TrimSpace(root); root == "" {
			continue
		}
		if err := turnTree(root, dir, overlay); err != nil {
			return fmt.Errorf("-tags race: %w", err)
		}
	}
	data, err := json.Marshal(overlayFile{overlay})
	if err != nil {
		return err
	}
	name, err := keepFile(dir, "overlay.json", data)
	if err != nil {
		return err
	}
	j.args.overlay = name
	j.args.load = slices.DeleteFunc(j.args.load, func(w string) bool { return strings.HasPrefix(w, "-overlay=") })
	j.args.load = append(j.args.load, "-overlay="+name)
	return nil
}

// turnTree adds to the overlay the files of a module that are to be replaced. They are kept in dir.
func turnTree(root, dir string, overlay map[string]string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			_, noModule := os.Stat(filepath.Join(path, "go.mod"))
			if path != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" || noModule == nil) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || !d.Type().IsRegular() {
			return nil
		}
		return turnFile(path, dir, overlay)
	})
}

func turnFile(path, dir string, overlay map[string]string) error {
	from := path
	if to, replaced := overlay[path]; replaced {
		if from = to; to == "" {
			return nil
		}
	}
	src, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	turned := turnConstraint(src)
	if turned == nil {
		return nil
	}
	to, err := keepFile(dir, filepath.Base(path), turned)
	if err != nil {
		return err
	}
	overlay[path] = to
	return nil
}

// turnConstraint is a Go file in whose constraint the tag race stands for its opposite, with the lines where they were; nil if the constraint has no such tag. Lines that begin
// with // +build count only without one that begins with //go:build.
func turnConstraint(src []byte) []byte {
	if !bytes.Contains(src, []byte(raceTag)) {
		return nil
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	at, others := constraintsOf(lines)
	var all constraint.Expr
	for _, n := range at {
		x, err := constraint.Parse(string(bytes.TrimSpace(lines[n])))
		if err != nil {
			return nil // the go command says what is wrong
		}
		if all == nil {
			all = x
		} else {
			all = &constraint.AndExpr{X: all, Y: x}
		}
	}
	if all == nil || !mentionsRace(all) {
		return nil
	}
	replace := func(n int, text string) {
		end := lines[n][len(bytes.TrimRight(lines[n], "\r\n")):]
		lines[n] = append([]byte(text), end...)
	}
	replace(at[0], "//go:build "+turnExpr(all).String())
	for _, n := range append(at[1:], others...) {
		replace(n, "//")
	}
	return bytes.Join(lines, nil)
}

// constraintsOf are the lines of a file that its constraint consists of, and other lines that say the same.
func constraintsOf(lines [][]byte) (at, others []int) {
	var goBuild, plusBuild []int
	comment := false
header:
	for n, l := range lines {
		line := string(bytes.TrimSpace(l))
		switch {
		case comment:
			comment = !strings.Contains(line, "*/")
		case constraint.IsGoBuild(line):
			goBuild = append(goBuild, n)
		case constraint.IsPlusBuild(line):
			plusBuild = append(plusBuild, n)
		case strings.HasPrefix(line, "/*"):
			comment = !strings.Contains(line, "*/")
		case line != "" && !strings.HasPrefix(line, "//"):
			break header
		}
	}
	if len(goBuild) > 0 {
		return goBuild, plusBuild
	}
	return plusBuild, nil
}

func mentionsRace(x constraint.Expr) (found bool) {
	x.Eval(func(tag string) bool { // asks about all tags
		found = found || tag == raceTag
		return false
	})
	return found
}

// turnExpr is x with the tag turned around.
func turnExpr(x constraint.Expr) constraint.Expr {
	switch x := x.(type) {
	case *constraint.TagExpr:
		if x.Tag == raceTag {
			return &constraint.NotExpr{X: x}
		}
	case *constraint.NotExpr:
		if tag, ok := x.X.(*constraint.TagExpr); ok && tag.Tag == raceTag {
			return tag
		}
		return &constraint.NotExpr{X: turnExpr(x.X)}
	case *constraint.AndExpr:
		return &constraint.AndExpr{X: turnExpr(x.X), Y: turnExpr(x.Y)}
	case *constraint.OrExpr:
		return &constraint.OrExpr{X: turnExpr(x.X), Y: turnExpr(x.Y)}
	}
	return x
}

// keepFile writes a file in dir under a name of its content, unless it is there.
func keepFile(dir, base string, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := filepath.Join(dir, hex.EncodeToString(sum[:12])+"-"+base)
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return name, nil
	}
	return name, writeAtomically(name, data)
}
