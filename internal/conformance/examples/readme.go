package examples

import (
	"fmt"
	"path"
	"strings"
)

const readmeHead = `# Examples

Small programs, written as tests. A name says what racepred has to say of it:

| name | racepred |
| --- | --- |
| ` + "`TestRace...`" + ` | reports a race; ` + "`go test -race`" + ` sees it too |
| ` + "`TestRacePredicted...`" + ` | predicts the race; the usual schedule hides it from ` + "`go test -race`" + ` |
| ` + "`TestDeadlock...`" + ` | reports a deadlock: one that another schedule has, or one among goroutines that the test leaves behind |
| ` + "`TestLeak...`" + ` | reports a goroutine that nobody can wake any more |
| ` + "`TestAtomicity...`" + ` | reports that another goroutine comes between what is meant to be atomic |
| ` + "`TestNoRace...`" + ` | is silent: no schedule has a race or a deadlock, or breaks what is meant to be atomic, and nobody waits in vain |

All of them pass under plain ` + "`go test`" + `. Run them with

    go run ./cmd/racepred test ./examples/...

and compare what it says with the names by

    go run ./internal/conformance/cmd/examples

which also writes this page from the comments in the sources (` + "`-readme`" + `).
`

// Readme renders the page of the examples: a table per directory.
func Readme(tests []Test) string {
	var b strings.Builder
	b.WriteString(readmeHead)
	dir := ""
	for _, t := range tests {
		if t.Dir != dir {
			dir = t.Dir
			name := path.Base(dir)
			fmt.Fprintf(&b, "\n## [%s](%s)\n\n%s\n\n| test | |\n| --- | --- |\n", name, name, t.PackageDoc)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", t.Name, strings.ReplaceAll(t.Doc, "|", `\|`))
	}
	return b.String()
}
