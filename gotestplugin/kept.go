package gotestplugin

import (
	"fmt"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// printKept prints findings in packages whose output go test has not printed: it keeps that until the package is done, and when it is interrupted it may not come to it.
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

// streams reports whether go test prints what tests print at once, and does not keep it until their package is done; packages is how many are tested.
// (cmd/go/internal/test, (*runTestActor).Act)
func (a *args) streams(packages int) bool {
	_, bench := a.set["bench"]
	_, fuzz := a.set["fuzz"]
	_, list := a.set["list"]
	return len(a.packages) == 0 || bench || fuzz || (a.on("v") || list) && (packages == 1 || a.set["p"] == "1")
}
