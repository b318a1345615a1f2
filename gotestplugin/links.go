package gotestplugin

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// How dependencies in the module cache are rewritten, where the go command refuses overlays. It
// compares names:
//
// (M1) racepred's cache has a symbolic link to the module cache. The go command takes overlays of
// files that are named by way of the link;
// (M2) go.mod, or go.work in a workspace, has an overlay with a replace directive for each such
// module, which names its directory below the link. What the module needs, it reads there as
// before, so the build has the same versions;
// (M3) whether the go command takes that is asked once for each content of the overlay. If it does
// not, those dependencies are left as they are;
// (M4) each Go file of such a module begins with a directive that names it as in the module cache,
// in an overlay if need be: for runtime.Caller, stack traces and reports. With -trimpath it is
// named below the link, where the go command has a name without directories for it.

// links are what makes files of the module cache replaceable. The zero value is none.
type links struct {
	cache, link string            // the module cache, and what is linked to it
	file        string            // go.mod or go.work
	overlay     map[string]string // what is in its place, and in that of files that directories lack
	modules     map[string]string // path of a module -> its directory in the cache
}

// rename is the name below the link of a file of a linked module; others keep theirs.
func (l *links) rename(name string) string {
	for _, dir := range l.modules {
		if name == dir || within(dir, name) {
			return l.link + strings.TrimPrefix(name, l.cache)
		}
	}
	return name
}

// has reports whether a package is of a linked module.
func (l *links) has(p *goPackage) bool { return p.Module != nil && l.modules[p.Module.Path] != "" }

// linkDependencies makes links for the modules of the packages with these paths that are in the
// module cache. why says why there are none though there are such packages.
func (j *job) linkDependencies(ctx context.Context, paths map[string]bool, user map[string]string) (l links, why string, err error) {
	cache := filepath.Clean(j.goEnv.GOMODCACHE)
	var linked []*goPackage // one of each module
	l.modules = map[string]string{}
	for _, p := range j.graph.packages {
		if paths[p.flagsPath()] && p.dependency() && within(cache, p.Module.Dir) && l.modules[p.Module.Path] == "" {
			l.modules[p.Module.Path] = p.Module.Dir
			linked = append(linked, p)
		}
	}
	if len(linked) == 0 {
		return links{}, "", nil
	}
	l.cache = cache
	if l.link, err = linkTo(cache, j.cache); err != nil {
		return links{}, err.Error(), nil
	}
	text, err := j.replacing(&l, linked, user)
	if err != nil {
		return links{}, err.Error(), nil
	}
	files := sourceCache{filepath.Join(j.cache, "rewritten")}
	replaced, err := files.put(filepath.Base(l.file), text)
	if err != nil {
		return links{}, "", fmt.Errorf("cache directory: %w", err)
	}
	l.overlay = map[string]string{l.file: replaced}
	for _, p := range linked { // those of old modules, and of modules without one
		name := filepath.Join(p.Module.Dir, "go.mod")
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			l.overlay[l.rename(name)] = p.Module.GoMod
		}
	}
	why, err = j.tryLinks(ctx, &l, linked, user, text)
	if err != nil || why != "" {
		return links{}, why, err
	}
	return l, "", nil
}

// linkTo is a symbolic link below dir to the module cache. (M1)
func linkTo(cache, dir string) (string, error) {
	if within(cache, dir) {
		return "", errors.New("racepred's own cache (RACEPRED_CACHE) is in it")
	}
	sum := sha256.Sum256([]byte(cache))
	name := filepath.Join(dir, "modules-"+hex.EncodeToString(sum[:6]))
	if to, err := os.Readlink(name); err == nil && to == cache {
		return name, nil
	}
	err := os.Symlink(cache, name)
	if errors.Is(err, fs.ErrExist) {
		if to, e := os.Readlink(name); e == nil && to == cache { // another run was faster
			return name, nil
		}
	}
	return name, err
}

// replacing is go.mod, or go.work, with directives for the modules of the packages. It sets l.file.
// (M2)
func (j *job) replacing(l *links, packages []*goPackage, user map[string]string) ([]byte, error) {
	work := filepath.IsAbs(j.goEnv.GOWORK)
	if l.file = j.goEnv.GOMOD; work {
		l.file = j.goEnv.GOWORK
	} else if name := j.args.set[modfileFlag]; name != "" {
		l.file = inDir(j.dir, name)
	}
	from := l.file
	if to := user[from]; to != "" {
		from = to
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return nil, err
	}
	if work {
		f, err := modfile.ParseWork(l.file, data, nil)
		if err != nil {
			return nil, err
		}
		if err := l.addTo(f, packages); err != nil {
			return nil, err
		}
		return modfile.Format(f.Syntax), nil
	}
	f, err := modfile.Parse(l.file, data, nil)
	if err != nil {
		return nil, err
	}
	if err := l.addTo(f, packages); err != nil {
		return nil, err
	}
	return f.Format()
}

// addTo adds directives for the modules of the packages to a go.mod or go.work.
func (l *links) addTo(f interface {
	AddReplace(oldPath, oldVersion, newPath, newVersion string) error
	Cleanup()
}, packages []*goPackage) error {
	for _, p := range packages {
		if err := f.AddReplace(p.Module.Path, p.Module.Version, l.rename(p.Module.Dir), ""); err != nil {
			return err
		}
	}
	f.Cleanup()
	return nil
}

// tryLinks asks the go command for the directories of the packages. (M3)
func (j *job) tryLinks(ctx context.Context, l *links, packages []*goPackage, user map[string]string, text []byte) (why string, err error) {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, j.goEnv.GOVERSION, l.file, j.args.load, j.goEnv.GOFLAGS, user) // a map is printed in order
	h.Write(text)
	stamp := filepath.Join(j.cache, "rewritten", hex.EncodeToString(h.Sum(nil)[:12])+"-linked")
	if _, err := os.Stat(stamp); err == nil {
		return "", nil
	}
	overlay := maps.Clone(user)
	if overlay == nil {
		overlay = map[string]string{}
	}
	maps.Copy(overlay, l.overlay)
	file := filepath.Join(j.work, "links.json")
	if err := writeOverlay(file, overlay); err != nil {
		return "", err
	}
	args := append([]string{"list", "-f", "{{.Dir}}"}, withOverlay(j.args.loading(), file)...)
	want := map[string]bool{}
	for _, p := range packages {
		args = append(args, p.ImportPath)
		want[l.rename(p.Dir)] = true
	}
	out, stderr, err := j.goCmd.output(ctx, args...)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return strings.Join(strings.Fields(string(stderr)), " "), nil
	}
	for line := range strings.Lines(string(out)) {
		delete(want, strings.TrimSpace(line))
	}
	if len(want) > 0 {
		return "the go command finds them elsewhere", nil
	}
	return "", os.WriteFile(stamp, nil, 0o666)
}

// nameLinked adds the directives of (M4) to replace, which has files that replace others, by their
// names in the module cache.
func (j *job) nameLinked(replace map[string]string) error {
	trims := j.args.on("trimpath")
	files := sourceCache{filepath.Join(j.cache, "rewritten")}
	done := map[string]bool{}
	for _, p := range j.graph.packages {
		if !j.graph.links.has(p) {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles) {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			if done[name] || slices.Contains(p.IgnoredGoFiles, filepath.Base(name)) && replace[name] == "" {
				continue
			}
			done[name] = true
			from, as := cmp.Or(replace[name], name), name
			if trims {
				if from == name { // the rewriter has not touched it
					continue
				}
				as = j.graph.links.rename(name)
			}
			key := "named " + as + " " + from // whose name tells the content
			named, err := files.once(filepath.Base(name), key, func() ([]byte, error) {
				text, err := os.ReadFile(from)
				text = bytes.TrimPrefix(text, []byte("\uFEFF"))
				text = bytes.ReplaceAll(text, []byte("\n//line "+name+":"), []byte("\n//line "+as+":")) // of instrument/internal/load.Raise
				return fmt.Appendf(nil, "//line %s:1:1\n%s", as, text), err
			})
			if err != nil {
				return fmt.Errorf("cache directory: %w", err)
			}
			replace[name] = named
		}
	}
	return nil
}
