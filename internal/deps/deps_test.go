// Package deps holds the order of imports in racepred as a test. Change the
// table first and the code second, in one commit.
package deps

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/racepred/racepred/"

// A layer is a set of packages with the same rules:
//
// (D1) a package imports of racepred only what its layer allows;
// (D2) a linked package imports, apart from that, only what package testing
// imports anyway, directly or not: it becomes part of the tested binary;
// (D3) other packages import, apart from the standard library, only the
// modules named;
// (D4) predictors do not import each other;
// (D5) the oracle and what tests share to compare with it are imported by tests and by the tool
// that compares it only;
// (D6) every package is in one layer: the first that names it.
type layer struct {
	packages []string // as path.Match takes them, "..." at the end for all below
	linked   bool
	imports  []string // of racepred
	modules  []string // third parties'
}

var layers = []layer{
	// What runs inside of the tested binary, from the bottom up.
	{packages: []string{"internal/goal"}, linked: true},
	{packages: []string{"internal/trace"}, linked: true, imports: []string{"internal/goal"}},
	{packages: []string{"internal/trace/tracefile"}, linked: true, imports: []string{"internal/goal", "internal/trace"}},
	{packages: []string{"internal/trace/validate"}, linked: true, imports: []string{"internal/trace"}},
	{packages: []string{"internal/vclock"}, linked: true, imports: []string{"internal/trace"}},
	{packages: []string{"internal/predict"}, linked: true, imports: []string{"internal/goal", "internal/trace", "internal/vclock"}},
	{packages: []string{"internal/predict/shadow"}, linked: true, imports: []string{"internal/trace", "internal/vclock", "internal/predict"}},
	{packages: []string{"internal/predict/threads"}, linked: true, imports: []string{"internal/trace", "internal/vclock", "internal/predict", "internal/predict/shadow"}},
	{packages: []string{"internal/predict/mustorder"}, linked: true, imports: []string{"internal/trace", "internal/vclock", "internal/predict", "internal/predict/shadow"}},
	{packages: []string{"internal/predict/hbwcp"}, linked: true, imports: []string{"internal/trace", "internal/predict", "internal/predict/shadow", "internal/predict/hb", "internal/predict/wcp", "internal/predict/ipa"}},
	{packages: []string{"internal/predict/*"}, linked: true, // the predictors (D4)
		imports: []string{"internal/goal", "internal/trace", "internal/vclock", "internal/predict", "internal/predict/shadow", "internal/predict/threads", "internal/predict/mustorder"}},
	{packages: []string{"internal/predictors"}, linked: true, imports: []string{"internal/goal", "internal/trace", "internal/predict", "internal/predict/*"}},
	{packages: []string{"internal/witness"}, linked: true, imports: []string{"internal/goal", "internal/trace", "internal/witness/cells", "internal/witness/check"}},
	{packages: []string{"internal/witness/check"}, linked: true, imports: []string{"internal/goal", "internal/trace", "internal/witness/cells"}},
	{packages: []string{"internal/witness/cells"}, linked: true, imports: []string{"internal/trace"}},
	{packages: []string{"internal/symbol"}, linked: true},
	{packages: []string{"internal/library"}, linked: true, imports: []string{"internal/symbol"}},
	{packages: []string{"internal/report"}, linked: true, imports: []string{"internal/symbol"}},
	{packages: []string{"internal/protocol"}, linked: true, imports: []string{"internal/predictors", "internal/report"}},
	{packages: []string{"internal/engine"}, linked: true, imports: []string{
		"internal/goal", "internal/trace", "internal/predict", "internal/predict/hb", "internal/predictors", "internal/witness", "internal/report"}},
	{packages: []string{"internal/symbolize"}, linked: true, imports: []string{"internal/library", "internal/symbol", "internal/trace"}},
	{packages: []string{"internal/classify"}, linked: true, imports: []string{"internal/library", "internal/symbol", "internal/symbolize", "internal/trace"}},
	{packages: []string{"internal/blocked"}, linked: true, imports: []string{"internal/trace"}},
	{packages: []string{"internal/waive"}, linked: true, imports: []string{"internal/report"}},
	{packages: []string{"internal/present"}, linked: true, imports: []string{"internal/blocked", "internal/engine", "internal/goal", "internal/report", "internal/symbol", "internal/symbolize", "internal/trace", "internal/waive"}},
	{packages: []string{"internal/records"}, linked: true, imports: []string{"internal/trace", "internal/trace/validate", "internal/predict"}},
	{packages: []string{"rt/runtimehooks", "rt/racehooks", "rt/outsidehooks"}, linked: true},
	{packages: []string{"rt/process"}, linked: true, imports: []string{
		"internal/blocked", "internal/classify", "internal/engine", "internal/library", "internal/present", "internal/protocol", "internal/records", "internal/report", "internal/symbolize", "internal/trace", "internal/trace/tracefile", "internal/waive"}},

	// What is only there to be tested.
	{packages: []string{"examples/..."}, imports: []string{"examples/..."}},

	// The command's side.
	{packages: []string{"rt", "internal"}},
	{packages: []string{"internal/oracle"}, imports: []string{"internal/goal", "internal/trace"}},
	{packages: []string{"internal/oracle/oracletest"}, imports: []string{"internal/oracle", "internal/predict", "internal/trace"}}, // (D5)
	{packages: []string{"internal/scripttest"}, modules: []string{"github.com/rogpeppe/go-internal"}},
	{packages: []string{"internal/typeset", "internal/funcname", "internal/cacheage"}},

	// The rewriter, from the bottom up.
	{packages: []string{"instrument/counters"}},
	{packages: []string{"instrument/internal/edit"}, imports: []string{"instrument/counters"}},
	{packages: []string{"instrument/internal/emit"}, imports: []string{"instrument/internal/edit"}},
	{packages: []string{"instrument/internal/site"}},
	{packages: []string{"instrument/internal/gotypes"}, imports: []string{"internal/funcname", "internal/library", "internal/typeset"}},
	{packages: []string{"instrument/internal/spell"}, imports: []string{"instrument/internal/gotypes"}},
	{packages: []string{"instrument/internal/thrown"}, imports: []string{"instrument/internal/gotypes"}},
	{packages: []string{"instrument/internal/local"}, imports: []string{"instrument/internal/gotypes", "internal/library", "internal/typeset"}},
	{packages: []string{"instrument/internal/calls"}, imports: []string{"instrument/internal/gotypes", "instrument/internal/local", "internal/funcname", "internal/library", "internal/typeset"}},
	{packages: []string{"instrument/internal/expr"}, imports: []string{"instrument/internal/gotypes", "instrument/internal/local", "internal/library", "internal/typeset"}},
	{packages: []string{"instrument/internal/promoted"}, imports: []string{"instrument/internal/gotypes", "internal/typeset"}},
	{packages: []string{"instrument/internal/hazard"}, imports: []string{"instrument/internal/gotypes", "instrument/internal/expr", "internal/typeset"}},
	{packages: []string{"instrument/internal/redundancy"}, imports: []string{
		"instrument/internal/gotypes", "instrument/internal/site", "instrument/internal/local", "instrument/internal/expr", "internal/typeset"}},
	{packages: []string{"instrument/internal/load"}, imports: []string{"instrument/internal/edit", "internal/library"}, modules: []string{"golang.org/x/tools"}},
	{packages: []string{"instrument/internal/helper"}},
	{packages: []string{"instrument/internal/plan"}, imports: []string{
		"instrument/internal/edit", "instrument/internal/emit", "instrument/internal/site", "instrument/internal/gotypes", "instrument/internal/spell", "instrument/internal/thrown", "instrument/internal/local",
		"instrument/internal/calls", "instrument/internal/expr", "instrument/internal/promoted", "instrument/internal/hazard", "instrument/internal/redundancy", "internal/library", "internal/typeset"}},
	{packages: []string{"instrument"}, imports: []string{
		"internal/cacheage", "instrument/counters", "instrument/internal/calls", "instrument/internal/helper", "instrument/internal/load", "instrument/internal/plan", "instrument/internal/site"}},

	// The vet pass: the checks, what they share, the table of them.
	{packages: []string{"internal/waive/ignore"}},
	{packages: []string{"analyzer"}, imports: []string{"analyzer/*", "internal/report"}, modules: []string{"golang.org/x/tools"}},
	{packages: []string{"analyzer/internal/..."}, imports: []string{"analyzer/internal/...", "internal/typeset", "internal/waive/ignore"}, modules: []string{"golang.org/x/tools"}},
	{packages: []string{"analyzer/opaqueunderlock"}, imports: []string{"analyzer/internal/...", "instrument"}, modules: []string{"golang.org/x/tools"}},
	{packages: []string{"analyzer/golangci"}, imports: []string{"analyzer"}, modules: []string{"golang.org/x/tools", "github.com/golangci/plugin-module-register"}},
	{packages: []string{"analyzer/*"}, imports: []string{"analyzer/internal/..."}, modules: []string{"golang.org/x/tools"}},
	{packages: []string{"internal/vet"}, imports: []string{"analyzer", "internal/funcname", "internal/report"}, modules: []string{"golang.org/x/tools"}},
	{packages: []string{"internal/seam"}, imports: []string{"internal", "internal/cacheage", "internal/funcname", "internal/library", "rt", "instrument"}, modules: []string{"github.com/dave/dst"}},
	{packages: []string{"internal/report/collect"}, imports: []string{"internal/protocol", "internal/report"}},
	{packages: []string{"internal/report/format"}, imports: []string{"internal/report", "internal/waive"}, modules: []string{"github.com/owenrumney/go-sarif"}},
	{packages: []string{"internal/config"}, imports: []string{"internal/protocol"}, modules: []string{"go.yaml.in/yaml"}},
	{packages: []string{"internal/trace/std", "internal/trace/gen", "internal/trace/repeats"}, imports: []string{"internal/trace"}},
	{packages: []string{"internal/offline"}, imports: []string{
		"internal/trace", "internal/trace/tracefile", "internal/trace/std", "internal/trace/validate", "internal/waive", "internal/engine", "internal/present", "internal/protocol", "internal/report", "internal/report/collect",
		"internal/symbol", "internal/symbolize", "internal/witness", "internal/goal", "internal/predict", "internal/predictors"}},
	{packages: []string{"gotestplugin"},
		imports: []string{"instrument", "instrument/counters", "internal/cacheage", "internal/config", "internal/funcname", "internal/library", "internal/seam", "internal/goal", "internal/protocol", "internal/report", "internal/report/collect", "internal/report/format", "internal/engine", "internal/offline", "internal/predictors", "internal/trace", "internal/trace/tracefile", "internal/trace/validate", "internal/waive", "internal/waive/ignore", "internal/vet", "analyzer"},
		modules: []string{"golang.org/x/mod", "golang.org/x/term"}},
	{packages: []string{"cmd/racepred"}, imports: []string{"gotestplugin", "internal/vet"}},
	{packages: []string{"internal/deps"}},
	{packages: []string{"internal/dev/command", "internal/dev/cputime", "internal/dev/fetch"}},
	{packages: []string{"internal/conformance", "internal/conformance/..."},
		imports: []string{"internal/dev/command", "internal/conformance/...", "internal/protocol", "internal/report", "internal/report/collect", "internal/report/format", "gotestplugin", "instrument"},
		modules: []string{"github.com/dave/dst", "golang.org/x/tools"}},
	{packages: []string{"internal/dev/context", "internal/dev/parallel", "internal/dev/programs", "internal/dev/pruning"},
		imports: []string{"internal/dev/command", "internal/conformance/...", "internal/protocol", "internal/report", "instrument"}},
	{packages: []string{"internal/dev/unlocked"}, imports: []string{"internal/dev/command", "internal/dev/fetch", "internal/conformance/tool", "internal/report"}},
	{packages: []string{"internal/dev/profile"}, imports: []string{"internal/dev/command", "internal/dev/fetch", "internal/conformance/tool"}},
	{packages: []string{"internal/dev/kernels"}, imports: []string{"internal/dev/command", "internal/conformance/tool", "internal/report"}},
	{packages: []string{"internal/dev/fake"}, imports: []string{"instrument", "rt"}},
	{packages: []string{"internal/dev/transparency", "internal/dev/cost"}, imports: []string{"internal/dev/command", "internal/dev/fetch", "instrument", "internal/dev/fake", "internal/typeset"},
		modules: []string{"golang.org/x/tools", "golang.org/x/mod"}},
	{packages: []string{"internal/dev/repeats"}, imports: []string{
		"internal/dev/command", "internal/trace", "internal/trace/repeats", "internal/offline", "internal/engine", "internal/report"}},
	{packages: []string{"internal/dev/throughput"}, imports: []string{
		"internal/dev/command", "internal/dev/cputime", "internal/conformance/tool", "internal/trace", "internal/trace/gen", "internal/trace/tracefile", "internal/predict", "internal/predictors", "internal/offline", "internal/engine"}},
	{packages: []string{"internal/dev/agree"}, imports: []string{ // (D5)
		"internal/dev/command", "internal/goal", "internal/oracle", "internal/trace", "internal/trace/std", "internal/predict", "internal/predictors", "internal/witness"}},
	{packages: []string{"internal/dev/racyevents"}, imports: []string{
		"internal/dev/command", "internal/goal", "internal/trace", "internal/predict", "internal/predictors", "internal/witness"}},
	{packages: []string{"bench", "bench/..."}, imports: []string{"internal/dev/command", "internal/dev/fetch", "bench/...", "internal/conformance/tool", "internal/protocol", "internal/report"}},
}

// alsoLinked are standard packages linked packages may import though package
// testing does not: leaves with nothing below them but what testing has.
var alsoLinked = []string{"sort"}

// testModules are what tests may import on top.
var testModules = []string{
	"github.com/stretchr/testify", "pgregory.net/rapid", "github.com/rogpeppe/go-internal", "github.com/google/go-cmp", "golang.org/x/tools", "go.yaml.in/yaml",
}

// listed is a package as go list knows it.
type listed struct {
	ImportPath, Name                   string
	Standard                           bool
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

// goList lists packages. It goes over the module's files itself, too, so that the go command knows
// what the result depends on, and does not take an old one from its cache.
func goList(t *testing.T, args ...string) []listed {
	t.Helper()
	require.NoError(t, filepath.WalkDir("../..", func(_ string, _ fs.DirEntry, err error) error { return err }))
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Name,Standard,Imports,TestImports,XTestImports,Deps"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if prefix, ok := strings.CutSuffix(p, "..."); ok {
			return strings.HasPrefix(name, prefix)
		}
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

func ofModule(modules []string, imp string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") })
}

func isStandard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func TestImportOrder(t *testing.T) {
	allowed := append(goList(t, "testing")[0].Deps, alsoLinked...)
	for _, p := range goList(t, "-tags=racepred_seam", "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		i := slices.IndexFunc(layers, func(l layer) bool { return matches(l.packages, name) })
		require.GreaterOrEqual(t, i, 0, "(D6) %s", name)
		in := layers[i]
		for _, imp := range p.Imports {
			ours, isOurs := strings.CutPrefix(imp, module)
			switch {
			case isOurs:
				require.True(t, matches(in.imports, ours), "(D1) %s imports %s", name, ours)
				require.False(t, strings.HasPrefix(ours, "internal/oracle") && name != "internal/dev/agree" && name != "internal/oracle/oracletest", "(D5) %s", name)
			case in.linked:
				require.Contains(t, allowed, imp, "(D2) %s imports %s", name, imp)
			case !isStandard(imp):
				require.True(t, ofModule(in.modules, imp), "(D3) %s imports %s", name, imp)
			}
		}
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			if !isStandard(imp) && !strings.HasPrefix(imp, module) {
				require.True(t, ofModule(slices.Concat(testModules, in.modules), imp), "(D3) tests of %s import %s", name, imp)
			}
		}
	}
}

// TestEveryLayerExists keeps the table free of packages that are gone.
func TestEveryLayerExists(t *testing.T) {
	var names []string
	for _, p := range goList(t, "-tags=racepred_seam", "./...") {
		names = append(names, strings.TrimPrefix(p.ImportPath, module))
	}
	for _, l := range layers {
		for _, p := range l.packages {
			if strings.HasSuffix(p, "...") {
				continue
			}
			require.True(t, slices.ContainsFunc(names, func(n string) bool { return matches([]string{p}, n) }), "%s", p)
		}
	}
}
