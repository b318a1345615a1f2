package gotestplugin

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/seam"
)

// parts are what the recording build is made with; tests put in their own.
type parts struct {
	prepare func(seam.Config) (*seam.Toolchain, error)
	rewrite func(rewriteConfig) (*rewritten, error)
}

// rewriteConfig says what the rewriter is to rewrite.
type rewriteConfig struct {
	Dir        string
	Env        []string
	Patterns   []string
	BuildFlags []string
	All        bool                   // every access, also those that stay within a goroutine
	Leave      func(path string) bool // packages somebody else records
}

// rewritten is what the rewriter made.
type rewritten struct {
	Files map[string][]byte // absolute path -> new content
	Left  map[string]string // import path -> why the package was left alone
	Notes []report.Uncovered
}

// recording is a build that records.
type recording struct {
	goCmd   goCommand
	overlay string
	gcflags []string
	done    func() // to be called when the build is known to have worked
}

// build prepares everything go test needs in order to build tests that record.
func (j *job) build(ctx context.Context, patterns []string) (*recording, error) {
	tc, err := j.parts.prepare(seam.Config{
		GOROOT: j.goEnv.GOROOT, GOVERSION: j.goEnv.GOVERSION, GOMODCACHE: j.goEnv.GOMODCACHE, CacheDir: j.cache,
	})
	if err != nil {
		return nil, err
	}
	user, err := readOverlay(j.args.overlay, j.dir)
	if err != nil {
		return nil, err
	}
	compiled := byCompiler(j.graph, j.args, j.dir, user)
	rewrite, err := j.rewrite(ctx, patterns, compiled)
	if err != nil {
		return nil, err
	}
	flags, err := j.gcflags(compiled)
	if err != nil {
		return nil, err
	}
	overlay, err := mergeOverlays(user, tc.Overlay, rewrite)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(j.work, "overlay.json")
	if err := writeOverlay(name, overlay); err != nil {
		return nil, err
	}
	b := &recording{goCmd: j.goCmd, overlay: name, gcflags: flags}
	b.goCmd.env = append(slices.Clip(b.goCmd.env), tc.Env...)
	if tc.GOROOT != j.goEnv.GOROOT {
		b.goCmd.path = filepath.Join(tc.GOROOT, "bin", filepath.Base(b.goCmd.path))
	}
	b.done = j.announce(tc)
	return b, nil
}

// rewrite rewrites the packages that the compiler does not record and returns
// the overlay. Packages that cannot be rewritten are added to compiled.
func (j *job) rewrite(ctx context.Context, patterns []string, compiled map[string]bool) (map[string]string, error) {
	all := !slices.ContainsFunc(j.graph.named, func(p *goPackage) bool { return !compiled[p.ImportPath] })
	if all || ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r, err := j.parts.rewrite(rewriteConfig{
		Dir: j.dir, Env: j.env, Patterns: patterns, BuildFlags: j.args.load,
		All:   j.args.instrument == instrumentAll,
		Leave: func(path string) bool { return compiled[path] },
	})
	if err != nil {
		return nil, fmt.Errorf("rewriting: %w", err)
	}
	for path := range r.Left {
		compiled[path] = true
	}
	j.uncovered = append(j.uncovered, r.Notes...)
	cache := sourceCache{filepath.Join(j.cache, "rewritten")}
	replace := make(map[string]string, len(r.Files))
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		if replace[path], err = cache.put(filepath.Base(path), r.Files[path]); err != nil {
			return nil, fmt.Errorf("cache directory: %w", err)
		}
	}
	return replace, cache.trim(time.Now())
}

// gcflags are the compiler flags of the recording build.
func (j *job) gcflags(compiled map[string]bool) ([]string, error) {
	user, err := parseGcflags(j.args.gcflags, j.dir, j.graph)
	if err != nil {
		return nil, err
	}
	needs := map[string]need{}
	for path := range compiled {
		needs[path] |= needRecord
	}
	for path := range atomicCallers(j.graph) {
		needs[path] |= needAtomics
	}
	for path := range needs {
		needs[path] |= needNoInline // (G5)
	}
	return gcflags(j.graph, needs, j.args.gcflags, user)
}

// announce says that the first build with a toolchain takes its time, and
// returns what notes that it was done.
func (j *job) announce(tc *seam.Toolchain) func() {
	stamp := filepath.Join(j.cache, "built-"+filepath.Base(j.goEnv.GOVERSION))
	if _, err := os.Stat(stamp); err == nil {
		return func() {}
	}
	j.say("building the recording toolchain for %s (once, about 15 s)", j.goEnv.GOVERSION)
	return func() { _ = os.WriteFile(stamp, []byte(tc.GOROOT+"\n"), 0o666) }
}
