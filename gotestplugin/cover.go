package gotestplugin

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// How covered packages are recorded. The go command hands the original of a file to the cover tool,
// whatever an overlay says, and compiles what the tool wrote. So under coverage:
//
// (V1) go test runs its tools through this program (tools.go). When the cover tool has run, this
// program puts the tool's counters into the rewritten file (package counters);
// (V2) the cover tool sees the originals only, so positions, statements and percentages are those
// of go test;
// (V3) a change that the go command does not know of MUST change what it looks up in its cache. So
// the version of the cover tool, which the go command asks for, includes that of this program, and
// the file that the overlay has for an original ends with the hash of the original and of its
// template;
// (V4) a file of the standard library that the seam replaces is compiled as the seam has it. If
// -coverpkg names its package, its statements count as not run.

// checkCover refuses what the go command cannot build: with -covermode=atomic each covered package
// imports sync/atomic, and the seam's sync/atomic imports internal/race.
func (j *job) checkCover() error {
	if j.args.set["covermode"] != "atomic" {
		return nil
	}
	within := &goPackage{ImportPath: "internal/race", Dir: filepath.Join(j.goEnv.GOROOT, "src", "internal", "race"), Standard: true}
	for pattern := range strings.SplitSeq(j.args.set["coverpkg"], ",") {
		if pattern != "" && matcher(pattern, j.dir)(within) {
			return usagef("-coverpkg=%s cannot be used with -covermode=atomic: racepred's own package sync/atomic imports internal/race, which that covers; -covermode=count can be", pattern)
		}
	}
	return nil
}

// coverable adds to a rewritten file the hash of the files that it is joined from. (V3)
func coverable(text []byte, original string, template []byte) ([]byte, error) {
	src, err := os.ReadFile(original)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(slices.Clip(text), "\n// Covered from %x and %x.\n", sha256.Sum256(src), sha256.Sum256(template)), nil
}
