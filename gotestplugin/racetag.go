package gotestplugin

import (
	"bytes"
	"context"
	"fmt"
	"go/build/constraint"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// With -tags race, files of the tested modules are chosen as under -race: a file with the
// constraint race is compiled, one with !race is not. The go command must not be given the tag,
// since the library has such files, too. So each file whose constraint has the tag is replaced, in
// an overlay, by itself with that constraint turned around. underrace.go does so for dependencies,
// where the go command takes no overlay of the module cache.

const raceTag = "race"

// takeTag removes a tag from a list as -tags has it, and reports whether it was there.
func takeTag(list, tag string) (rest string, found bool) {
	var tags []string
	if strings.ContainsAny(list, " '") {
		tags, _ = splitQuoted(list) // what cannot be split, the go command refuses
	} else {
		tags = strings.Split(list, ",")
	}
	others := slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return t == tag })
	if len(others) == len(tags) {
		return list, false
	}
	return strings.Join(others, ","), true
}

// list resolves the patterns. With -tags race it also makes the overlay by which the go command
// compiles what it compiles under -race.
func (j *job) list(ctx context.Context, patterns []string) (*graph, error) {
	if !j.args.race {
		return j.goCmd.list(ctx, j.args.loading(), patterns)
	}
	overlay, err := readOverlay(j.args.overlay, j.dir)
	if err != nil {
		return nil, err
	}
	if overlay == nil {
		overlay = map[string]string{}
	}
	t := turner{files: sourceCache{filepath.Join(j.cache, "tags")}, overlay: overlay, dirs: map[string]bool{}, turned: map[string]bool{}}
	for {
		gr, err := j.goCmd.list(ctx, j.args.loading(), patterns)
		if err != nil {
			return nil, err
		}
		more, err := t.packages(gr)
		if err != nil {
			return nil, fmt.Errorf("-tags race: %w", err)
		}
		if !more { // files with the tag may import packages that others do not
			gr.turned = t.turned
			return gr, t.files.trim(time.Now())
		}
		if err := j.setOverlay(&t); err != nil {
			return nil, err
		}
	}
}

// setOverlay makes what t has the overlay of all that the go command does.
func (j *job) setOverlay(t *turner) error {
	data, err := encodeOverlay(t.overlay)
	if err != nil {
		return err
	}
	name, err := t.files.put("overlay.json", data)
	if err != nil {
		return fmt.Errorf("cache directory (RACEPRED_CACHE): %w", err)
	}
	j.args.turned = name
	j.args.load = withOverlay(j.args.load, name)
	return nil
}

// withOverlay are flags of the go command with this overlay in place of any other.
func withOverlay(flags []string, name string) []string {
	others := slices.DeleteFunc(slices.Clone(flags), func(w string) bool { return strings.HasPrefix(w, "-overlay=") })
	return append(others, "-overlay="+name)
}

// turner replaces files whose constraint has the tag.
type turner struct {
	files   sourceCache
	overlay map[string]string // as readOverlay returns it
	dirs    map[string]bool   // that were looked at
	turned  map[string]bool   // files that are replaced
}

// packages replaces files of the graph's own packages, and reports whether there is one in a
// directory that was not looked at.
func (t *turner) packages(gr *graph) (more bool, err error) {
	for _, p := range gr.packages {
		if p.Standard || p.Dir == "" || p.Module != nil && !p.Module.Main || t.dirs[p.Dir] {
			continue
		}
		t.dirs[p.Dir], more = true, true
		if err := t.directory(p.Dir); err != nil {
			return false, err
		}
	}
	return more, nil
}

// directory replaces files of a directory.
func (t *turner) directory(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[filepath.Join(dir, e.Name())] = true
	}
	for name, to := range t.overlay {
		if filepath.Dir(name) == dir && to != "" {
			names[name] = true
		}
	}
	for name := range names {
		if err := t.file(name); err != nil {
			return err
		}
	}
	return nil
}

// sources are the suffixes of files that may have a constraint.
var sources = []string{".go", ".s", ".S", ".sx", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".swig", ".swigcxx"}

func (t *turner) file(name string) error {
	if !slices.Contains(sources, filepath.Ext(name)) {
		return nil
	}
	from, replaced := t.overlay[name]
	if !replaced {
		from = name
	}
	info, err := os.Stat(from)
	if err != nil || !info.Mode().IsRegular() { // the go command says so if it needs it
		return nil
	}
	src, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	turned := turnConstraint(src)
	if turned == nil {
		return nil
	}
	t.turned[name] = !replaced
	if t.overlay[name], err = t.files.put(filepath.Base(name), turned); err != nil {
		return fmt.Errorf("cache directory (RACEPRED_CACHE): %w", err)
	}
	return nil
}

// turnConstraint is a file in whose constraint the opposite stands where the tag stood, with the
// same number of bytes, so that all others are where they were, for coverage as well; nil if there
// is no such tag.
func turnConstraint(src []byte) []byte {
	if !bytes.Contains(src, []byte(raceTag)) {
		return nil
	}
	out := bytes.Clone(src)
	found, inComment := false, false
	for line := range bytes.Lines(bytes.TrimPrefix(out, []byte("\uFEFF"))) {
		if text := string(bytes.TrimSpace(line)); constraint.IsGoBuild(text) || constraint.IsPlusBuild(text) {
			found = turnTags(line) || found // also one that does not count, which changes nothing
		}
		if !inHeader(line, &inComment) {
			break
		}
	}
	if !found {
		return nil
	}
	return out
}

// inHeader reports whether a line has nothing but comments.
func inHeader(line []byte, inComment *bool) bool {
	for {
		line = bytes.TrimSpace(line)
		switch {
		case *inComment:
			i := bytes.Index(line, []byte("*/"))
			if i < 0 {
				return true
			}
			*inComment, line = false, line[i+2:]
		case len(line) == 0 || bytes.HasPrefix(line, []byte("//")):
			return true
		case bytes.HasPrefix(line, []byte("/*")):
			*inComment, line = true, line[2:]
		default:
			return false
		}
	}
}

// turnTags changes the tag in a line with a constraint, and reports whether it is there. A name
// that is no tag takes its place: its negation holds, as race does under -race, or it does not, as
// !race.
func turnTags(line []byte) (found bool) {
	isTag := func(c byte) bool {
		return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
	}
	for i := 0; i < len(line); i++ {
		from := i
		for i < len(line) && isTag(line[i]) {
			i++
		}
		if string(line[from:i]) != raceTag {
			continue
		}
		found = true
		at := len(bytes.TrimRight(line[:from], " \t")) - 1
		switch {
		case at < 0 || line[at] != '!':
			copy(line[from:i], "!rp_")
		case at == from-1:
			copy(line[at:i], "rp___")
		default:
			line[at] = ' '
			copy(line[from:i], "rp__")
		}
	}
	return found
}
