package gotestplugin

import (
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/instrument"
)

// unitCache is the cache of rewritten packages, with the keys of ours. With an -overlay of the
// user's there is none, since its files may replace any others. That of -tags race has the contents
// of its files in its name, which is part of the keys. The go command says whose GOROOT files are
// named in.
func (j *job) unitCache(goCmd goCommand, ours []string) *instrument.Cache {
	if j.args.overlay != "" {
		return nil
	}
	paths := map[string]bool{}
	for _, path := range ours {
		paths[path] = true
	}
	e := j.goEnv
	salt := append([]string{goCmd.path, e.GOROOT, e.GOVERSION, e.GOOS, e.GOARCH, e.GOEXPERIMENT, e.CGO_ENABLED, e.GOFLAGS}, j.args.load...)
	return &instrument.Cache{
		Dir:   filepath.Join(j.cache, "rewritten"),
		Salt:  strings.Join(salt, "\x00"),
		Units: instrument.Units(j.graph.listed(e.GOMODCACHE), paths),
	}
}

// listed is the graph as the rewriter takes it. The standard library changes with the
// toolchain only, and directories of the module cache never do.
func (gr *graph) listed(modcache string) []instrument.Listed {
	own := map[string]bool{}
	for _, p := range gr.own {
		own[p.flagsPath()] = true
	}
	list := make([]instrument.Listed, len(gr.packages))
	for i, p := range gr.packages {
		inCache := within(modcache, p.Dir)
		l := instrument.Listed{
			ImportPath: p.ImportPath, Dir: p.Dir, ForTest: p.ForTest,
			Fixed:   (p.Standard || inCache) && !own[p.flagsPath()],
			GoFiles: p.GoFiles, CgoFiles: p.CgoFiles, Imports: p.Imports, ImportMap: p.ImportMap,
		}
		if p.Module != nil {
			l.GoVersion = p.Module.GoVersion
		}
		if p.Error != nil {
			l.GoFiles = append(l.GoFiles[:len(l.GoFiles):len(l.GoFiles)], "") // it cannot be read
		}
		list[i] = l
	}
	return list
}
