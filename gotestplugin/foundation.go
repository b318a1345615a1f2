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
// that is two fifths.
//
// (F1) They have the seam, and the compiler's flags of the recording build;
// (F2) packages of the library that are rewritten come first (R6): most others import them;
// (F3) all other packages that are rewritten are the originals there.

// foundation is how the go command is run so that it compiles what the recording build has, but for
// (F3).
type foundation struct {
	goCmd goCommand
	flags []string
}

// lay makes the foundation. user is the user's overlay.
func (j *job) lay(ctx context.Context, tc *seam.Toolchain, compiled map[string]bool, user map[string]string) (*foundation, error) {
	flags, err := j.gcflags(tc, compiled)
	if err != nil {
		return nil, err
	}
	if j.args.on("trimpath") {
		flags = append(flags, "-trimpath")
	}
	file := filepath.Join(j.work, "foundation.json")
	f := &foundation{flags: append(withOverlay(j.args.loading(), file), flags...)}
	if f.goCmd, err = j.recordingCommand(tc); err != nil {
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
	edited := withEdited(tc, j.copied(tc), j.graph.genericDirs(), user)
	rewritten, _, err := j.rewrite(ctx, f, rewriteConfig{Overlay: edited}, compiled, generic) // (F2)
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

// recordingCommand is the go command of a recording build. It is made the first one in this
// process's PATH, where package packages looks for it.
func (j *job) recordingCommand(tc *seam.Toolchain) (goCommand, error) {
	g := j.goCmd
	g.env = append(slices.Clip(g.env), tc.Env...)
	if tc.GOROOT != j.goEnv.GOROOT {
		g.path = filepath.Join(tc.GOROOT, "bin", filepath.Base(g.path))
	}
	return g, os.Setenv("PATH", filepath.Dir(g.path)+string(filepath.ListSeparator)+getenv(j.env, "PATH"))
}
