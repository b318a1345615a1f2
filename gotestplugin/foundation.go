package gotestplugin

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/seam"
)

// To load a package, and for go vet, the go command compiles what it imports. Both are asked for
// that as the recording build has it, so that the library, and dependencies that are not recorded,
// are compiled once and not twice: of the CPU time of a first run, with nothing in the build cache,
// that was a third for chi's middleware, and a fifth for client_golang.
//
// (F1) They have the seam, and the compiler's flags of the recording build;
// (F2) packages of the library that are rewritten come first (R6): most others import them;
// (F3) all other packages that are rewritten are the originals there.

// foundation is how the go command is run so that it compiles what the recording build has, but for
// (F3).
type foundation struct {
	goCmd goCommand
	flags []string
	seam  bool // (F1)
}

// plain is how the go command is run without one.
func (j *job) plain() *foundation { return &foundation{goCmd: j.goCmd, flags: j.args.loading()} }

// hasFoundation reports whether a foundation can be laid.
//
// (F4) There is none if a package of the library is rewritten that is not among those of (F2): then
// others of the library are type-checked from their sources, with it, and these are the originals.
// There is none either without a cache of rewritten packages, which hands on those of (F2).
func (j *job) hasFoundation() bool {
	return j.args.overlay == "" && !slices.ContainsFunc(j.graph.own, func(p *goPackage) bool { return p.Standard && !library.OfPackage(p.ImportPath).Generic })
}

// lay makes the foundation. user is the user's overlay.
func (j *job) lay(ctx context.Context, tc *seam.Toolchain, compiled map[string]bool, user map[string]string) (*foundation, error) {
	if !j.hasFoundation() {
		return j.plain(), nil
	}
	flags, err := j.gcflags(tc, compiled, nil)
	if err != nil {
		return nil, err
	}
	if j.args.on("trimpath") {
		flags = append(flags, "-trimpath")
	}
	file := filepath.Join(j.work, "foundation.json")
	f := &foundation{j.recordingCommand(tc), append(withOverlay(j.args.loading(), file), flags...), true}
	if err := f.goCmd.first(j.env); err != nil {
		return nil, err
	}
	overlay, err := mergeOverlays(user, tc.Overlay)
	if err != nil {
		return nil, err
	}
	if err := writeOverlay(file, overlay); err != nil {
		return nil, err
	}
	generic := slices.DeleteFunc(j.graph.ours(compiled), func(path string) bool { return !library.OfPackage(path).Generic })
	rewritten, _, err := j.rewrite(ctx, f, rewriteConfig{Overlay: j.readable(f, tc, user)}, compiled, generic) // (F2)
	if err != nil || len(rewritten) == 0 {
		return f, err
	}
	maps.Copy(overlay, rewritten)
	return f, writeOverlay(file, overlay)
}

// copied says which GOROOT was copied, if one was.
func (j *job) copied(tc *seam.Toolchain) protocol.Copied {
	return protocol.Copied{Original: j.goEnv.GOROOT, Copy: tc.GOROOT}
}

// readable is the overlay of the files that are type-checked from their sources: the user's, and
// what the seam has of packages of the library, by the names of the originals. Without the seam
// those are only the ones that are rewritten.
func (j *job) readable(f *foundation, tc *seam.Toolchain, user map[string]string) map[string]string {
	copied, generic := j.copied(tc), j.graph.genericDirs()
	all := map[string]string{}
	for name, of := range tc.Files {
		if original := copied.Name(name); f.seam || generic[filepath.Dir(original)] {
			all[original] = of.Text
		}
	}
	maps.Copy(all, user)
	return all
}

// first makes g the first go command in this process's PATH, where package packages looks for it.
func (g goCommand) first(env []string) error {
	return os.Setenv("PATH", filepath.Dir(g.path)+string(filepath.ListSeparator)+getenv(env, "PATH"))
}

// recordingCommand is the go command of a recording build.
func (j *job) recordingCommand(tc *seam.Toolchain) goCommand {
	g := j.goCmd
	g.env = append(slices.Clip(g.env), tc.Env...)
	if tc.GOROOT != j.goEnv.GOROOT {
		g.path = filepath.Join(tc.GOROOT, "bin", filepath.Base(g.path))
	}
	return g
}
