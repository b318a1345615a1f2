package seam

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unannotated are the toolchain's experiments (GOEXPERIMENT) that allocate memory without
// annotations, so that two lives of one address would be taken for one: the compiler calls
// allocating functions by size, which have none, and memory is used again without a garbage
// collection in between (rpCollected).
var unannotated = []string{"sizespecializedmalloc", "runtimefreegc"}

// experiments is what GOEXPERIMENT has to be for the toolchain of cfg, "" when it may stay as it
// is.
func experiments(cfg Config) string {
	chosen := strings.Split(cfg.GOEXPERIMENT, ",")
	defaults, _ := os.ReadFile(filepath.Join(cfg.GOROOT, "src", "internal", "buildcfg", "exp.go"))
	text := strings.ToLower(string(defaults))
	var off []string
	for _, name := range unannotated {
		if slices.Contains(chosen, name) || strings.Contains(text, name+":") {
			off = append(off, "no"+name)
		}
	}
	if len(off) == 0 {
		return ""
	}
	return strings.TrimPrefix(cfg.GOEXPERIMENT+","+strings.Join(off, ","), ",")
}
