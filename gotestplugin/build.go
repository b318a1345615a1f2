package gotestplugin

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/seam"
)

// parts are the functions that make the recording build. Tests replace them.
type parts struct {
	prepare func(seam.Config) (*seam.Toolchain, error)
	rewrite func(rewriteConfig) (*rewritten, error)
	needs   func(gr *graph, compiled map[string]bool, rewritten map[string]string) map[string]need
}

// rewriteConfig says what the rewriter rewrites.
type rewriteConfig struct {
	Context    context.Context // the result is not needed any more when it is done
	Dir        string
	Env        []string
	Patterns   []string
	BuildFlags []string
	Overlay    map[string]string      // the user's
	All        bool                   // every access, also those that stay within a goroutine
	Sections   bool                   // functions that take a lock several times say so
	Tested     func(path string) bool // packages whose tests run; nil: all
	Cache      *instrument.Cache      // nil: nothing is kept
	Recorded   func(path string) bool // packages the compiler records
	Covering   bool                   // counters are put into what is rewritten
	Check      bool                   // what is rewritten must compile; BuildFlags lead to the recording runtime
	Loaded     func()                 // called when the packages are
}

// rewritten is what the rewriter made.
type rewritten struct {
	Files     map[string][]byte // absolute path -> new content
	Templates map[string][]byte // the same with slots for what the cover tool inserts
	Packages  []rewrittenPackage
	Notes     []report.Uncovered // what of the packages is not recorded
}

// rewrittenPackage is one package the rewriter looked at. An external test
// package is one of its own, with a path that ends in _test.
type rewrittenPackage struct {
	Path  string
	Files []string
	Left  string // why the package was left as it is; "" when it was not
}

// recording is a build that records.
type recording struct {
	goCmd    goCommand
	overlay  string
	toolexec string // "" for none
	gcflags  []string
	seen     bool // protocol.Settings.Seen
	copied   protocol.Copied
	done     func() // to be called when the build is known to have worked
}

// build prepares everything go test needs in order to build tests that record.
func (j *job) build(ctx context.Context) (*recording, error) {
	tc, err := j.parts.prepare(seam.Config{
		GOROOT: j.goEnv.GOROOT, GOVERSION: j.goEnv.GOVERSION, GOMODCACHE: j.goEnv.GOMODCACHE, GOEXPERIMENT: j.goEnv.GOEXPERIMENT,
		CacheDir: j.cache,
	})
	if err != nil {
		return nil, err
	}
	user, err := readOverlay(j.args.overlaid(), j.dir)
	if err != nil {
		return nil, err
	}
	j.graph.overlay = user
	if j.args.instrument != instrumentCompiler {
		j.graph.recordAlso(genericPackages())
		if err := j.recordDependencies(ctx, user); err != nil {
			return nil, err
		}
	}
	compiled := byCompiler(j.graph, j.args, j.dir, j.goEnv.GOMODCACHE)
	switch {
	case j.args.instrument == instrumentCompiler:
		j.uncovered = append(j.uncovered, report.Uncovered{Reason: "-instrument=compiler: " + onlyObserved})
	default:
		fixed := j.graph.fixed(j.goEnv.GOMODCACHE, j.args.covering())
		for path, why := range j.graph.seam(tc) {
			fixed[path], compiled[path] = why, true
		}
		for path, why := range fixed {
			if j.graph.auto[path] {
				j.leaveDependency(path, why)
				delete(fixed, path)
				delete(compiled, path)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(fixed)) {
			j.uncovered = append(j.uncovered, report.Uncovered{Package: path, Reason: fixed[path] + "; " + onlyObserved})
		}
	}
	done := j.announce(tc)
	f, err := j.lay(ctx, tc, compiled, user)
	if err != nil {
		return nil, err
	}
	j.vetting.begin(f)
	copied, generic := j.copied(tc), j.graph.genericDirs()
	rewrite, templates, err := j.rewrite(ctx, f, rewriteConfig{Overlay: j.readable(f, tc, user), Loaded: j.vetting.isLoaded}, compiled, j.graph.ours(compiled))
	if err != nil {
		return nil, err
	}
	flags, err := j.gcflags(tc, compiled, rewrite)
	if err != nil {
		return nil, err
	}
	if rewrite == nil {
		rewrite = map[string]string{}
	}
	maps.Copy(rewrite, j.graph.underRace)
	if err := j.nameLinked(rewrite); err != nil {
		return nil, err
	}
	laid := maps.Clone(tc.Overlay)
	for _, from := range slices.Collect(maps.Keys(rewrite)) {
		if to := j.graph.links.rename((protocol.Copied{Original: copied.Copy, Copy: copied.Original}).Name(from)); to != from {
			rewrite[to] = rewrite[from]
			delete(rewrite, from)
			if t, ok := templates[from]; ok {
				templates[to] = t
				delete(templates, from)
			}
		}
		delete(user, from) // what it says is in the rewritten file
		if tc.Printing[from] || generic[filepath.Dir(from)] {
			delete(laid, from)
		}
	}
	delete(user, j.graph.links.file)
	overlay, err := mergeOverlays(user, laid, rewrite, j.graph.links.overlay)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(j.work, "overlay.json")
	if err := writeOverlay(name, overlay); err != nil {
		return nil, err
	}
	b := &recording{goCmd: j.recordingCommand(tc), done: done, overlay: name, gcflags: flags, toolexec: j.args.toolexec}
	own, err := readOverlay(j.args.overlay, j.dir)
	if err != nil {
		return nil, err
	}
	plan := toolPlan{Embedded: j.graph.embedded(overlay, own)}
	if j.args.covering() {
		plan.Templates, plan.Seam = templates, maps.Clone(tc.Files)
		maps.DeleteFunc(plan.Seam, func(name string, _ seam.File) bool { return tc.Printing[name] && laid[name] == "" })
	}
	if j.args.covering() || len(plan.Embedded) > 0 {
		if b.toolexec, err = j.planTools(plan); err != nil {
			return nil, err
		}
	}
	b.seen = looksAtOutput(compiled, j.graph.own) || j.args.instrument == instrumentCompiler
	if tc.GOROOT != j.goEnv.GOROOT {
		b.copied = copied
	}
	return b, nil
}

// ours are the paths of the own packages that the compiler does not record.
func (gr *graph) ours(compiled map[string]bool) (paths []string) {
	for _, p := range gr.own {
		if !compiled[p.ImportPath] {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths
}

// rewrite rewrites packages, as c says whose other fields it sets, and returns the overlay, and the
// templates of what it has, if they are needed. Packages that are left as they are, are added to
// compiled. (R3)
func (j *job) rewrite(ctx context.Context, f *foundation, c rewriteConfig, compiled map[string]bool, ours []string) (replace, templates map[string]string, err error) {
	c.Patterns = ours
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case len(ours) == 0:
		return nil, nil, nil
	case !j.graph.fromFiles():
		c.Cache = j.unitCache(f.goCmd, ours)
		c.Tested = func(path string) bool { return j.graph.tested(path) != "" }
	case compiled[j.graph.named[0].ImportPath]:
		return nil, nil, nil
	default:
		c.Patterns = j.args.packages
	}
	c.Context, c.Dir, c.Env, c.BuildFlags, c.Check = ctx, j.dir, f.goCmd.asking(), f.flags, f.seam
	c.All, c.Sections, c.Covering = j.args.instrument == instrumentAll, j.args.atomicity, j.args.covering()
	c.Recorded = func(path string) bool { return compiled[path] }
	r, err := j.whileWanted(ctx, c)
	if err != nil {
		return nil, nil, fmt.Errorf("rewriting: %w", err)
	}
	left := j.leave(r, compiled)
	for _, n := range r.Notes {
		if !left[j.graph.owner(n.Package)] && !library.OfPackage(n.Package).Generic && !j.graph.auto[n.Package] {
			j.details = append(j.details, n)
		}
	}
	files := sourceCache{filepath.Join(j.cache, "rewritten")}
	replace, templates = map[string]string{}, map[string]string{}
	embeds := j.graph.embeds()
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		text := r.Files[path]
		if embeds[path] {
			if text, err = j.graph.embeddable(text, path); err != nil {
				return nil, nil, err
			}
		}
		if j.args.covering() && !strings.HasSuffix(path, "_test.go") {
			template := r.Templates[path]
			if text, err = coverable(text, path, template); err != nil {
				return nil, nil, err
			}
			if templates[path], err = files.put(filepath.Base(path)+".template", template); err != nil {
				return nil, nil, fmt.Errorf("cache directory: %w", err)
			}
		}
		if replace[path], err = files.put(filepath.Base(path), text); err != nil {
			return nil, nil, fmt.Errorf("cache directory: %w", err)
		}
	}
	return replace, templates, files.trim(time.Now())
}

// whileWanted runs the rewriter until it is done or ctx ends. In the latter case the rewriter ends
// soon by itself.
func (j *job) whileWanted(ctx context.Context, c rewriteConfig) (*rewritten, error) {
	type result struct {
		r   *rewritten
		err error
	}
	done := make(chan result, 1)
	go func() {
		r, err := j.parts.rewrite(c)
		done <- result{r, err}
	}()
	select {
	case x := <-done:
		return x.r, x.err
	case <-ctx.Done():
	}
	select {
	case <-done: // it has ended its go commands, too
	case <-time.After(abandon):
	}
	return nil, context.Cause(ctx)
}

// abandon is how long a rewriter whose result is not needed any more may take to end its go
// commands.
const abandon = time.Second

// onlyObserved is what recording by the compiler means for the packages at hand: the critical
// sections of code that is not rewritten stay in order.
const onlyObserved = "recorded by the compiler, so races that happened are found and none is predicted"

// leave finds the packages that the rewriter left as they are and hands them to the
// compiler, tests included: -gcflags cannot tell a package from its external
// tests, and no package may be recorded twice.
func (j *job) leave(r *rewritten, compiled map[string]bool) map[string]bool {
	left, unread := map[string]bool{}, false
	for _, p := range r.Packages {
		path := j.graph.owner(p.Path)
		if p.Left == "" {
			continue
		}
		left[path] = true
		if j.graph.auto[path] {
			j.leaveDependency(path, p.Left)
			continue
		}
		unread = unread || strings.HasPrefix(p.Left, doesNotCompile)
		if underRuntime(path) {
			j.uncovered = append(j.uncovered, report.Uncovered{Package: p.Path, Reason: p.Left})
			continue
		}
		compiled[path] = true
		j.uncovered = append(j.uncovered, report.Uncovered{Package: p.Path, Reason: p.Left + "; " + onlyObserved})
	}
	for _, p := range r.Packages {
		if !left[j.graph.owner(p.Path)] {
			continue
		}
		for _, f := range p.Files {
			delete(r.Files, f)
		}
	}
	if older := builtBefore(j.goEnv.GOVERSION); unread && older != "" {
		j.uncovered = append(j.uncovered, report.Uncovered{Reason: older})
	}
	return left
}

// gcflags are the compiler flags of the recording build. rewritten has the files of packages that
// are rewritten.
func (j *job) gcflags(tc *seam.Toolchain, compiled map[string]bool, rewritten map[string]string) ([]string, error) {
	user, err := parseGcflags(j.args.gcflags, j.dir, j.graph)
	if err != nil {
		return nil, err
	}
	needs := j.parts.needs(j.graph, compiled, rewritten)
	name := (*goPackage).flagsPath
	if knowsDirectories(j.goEnv.GOVERSION) {
		name = j.graph.namer(j.dir, tc.GOROOT)
	}
	flags, err := gcflags(j.graph, needs, j.args.gcflags, user, name)
	return append(engineFlags(tc.Profile), flags...), err
}

// announce prints, before the first build with a toolchain, that it takes a while. The
// function that it returns notes that the build was done.
func (j *job) announce(tc *seam.Toolchain) func() {
	stamp := filepath.Join(filepath.Dir(tc.Profile), "built")
	if _, err := os.Stat(stamp); err == nil {
		return func() {}
	}
	j.say("building the recording toolchain for %s (once, about a minute of CPU time)", j.goEnv.GOVERSION)
	return func() { _ = os.WriteFile(stamp, nil, 0o666) }
}
