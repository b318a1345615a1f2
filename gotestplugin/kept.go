package gotestplugin

import (
	"fmt"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// printKept prints the findings of packages whose output go test has not printed: go test keeps the
// output until the package is done, and may lose it when a signal ends it.
func (j *job) printKept(list []report.Finding, printed func(pkg string) bool) {
	p := report.Printer{Root: j.goEnv.root(j.dir)}
	for i := range list {
		f := &list[i]
		if printed(j.graph.tested(f.Package)) || !f.Verdict.Fails() && !j.args.possible || waive.Silent(f.Waived) {
			continue
		}
		fmt.Fprintf(j.err, "%s", p.Append(nil, f))
	}
}

// streams reports whether go test prints the output of tests at once. Otherwise it keeps the output
// until the package is done. packages is how many are tested. (cmd/go/internal/test,
// (*runTestActor).Act)
func (a *args) streams(packages int) bool {
	_, bench := a.set["bench"]
	_, fuzz := a.set["fuzz"]
	_, list := a.set["list"]
	return len(a.packages) == 0 || bench || fuzz || (a.on("v") || list) && (packages == 1 || a.set["p"] == "1")
}
