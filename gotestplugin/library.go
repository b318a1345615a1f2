package gotestplugin

import (
	"strings"

	"github.com/racepred/racepred/internal/library"
)

// belowRuntime are the packages of the graph that the runtime imports: their code may run within a
// hook. (R5)
func belowRuntime(gr *graph) map[string]bool {
	imports := map[string][]string{}
	for _, p := range gr.packages {
		if p.Standard && p.ForTest == "" {
			imports[p.ImportPath] = p.Imports
		}
	}
	below := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if !below[path] {
			below[path] = true
			for _, imp := range imports[path] {
				visit(imp)
			}
		}
	}
	visit("runtime")
	return below
}

// ofLibrary are the packages of the standard library in the graph that the compiler records by
// default. (R4)
func ofLibrary(gr *graph) []string {
	except := belowRuntime(gr)
	for _, p := range gr.own { // (R1)
		except[p.ImportPath] = true
	}
	var out []string
	for _, p := range gr.packages {
		path := p.flagsPath()
		if of := library.OfPackage(path); p.Standard && of.Unrecorded == "" && !of.Runtime && !except[path] && !strings.HasPrefix(path, "cmd/") {
			out = append(out, path)
		}
	}
	return out
}
