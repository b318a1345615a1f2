package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const completeHead = `## Beside the compiler's instrumentation

Lines, kinds of access (read, write) and classes of memory (package variables, objects, read-only) that the compiler's own
instrumentation for -race reports in the rewritten files while a module's tests run, and how many of them rewritten code without
pruning reports in its own runs of the same tests (` + "`-table docs/results/transparency.md -complete`" + `), up to three, since a line that a run
does not come to counts as a difference, too. The reasons are those of type explainer in explain.go.

| module | the compiler sees | recorded | explained | unknown |
| --- | ---: | ---: | --- | ---: |
`

// writeCompleteness writes what came of the comparisons with the compiler, nothing if there are
// none.
func writeCompleteness(b *strings.Builder, all []*result) {
	var unknown []string
	head := completeHead
	for _, r := range all {
		c := r.Complete
		if c == nil {
			continue
		}
		var reasons []string
		for _, why := range slices.Sorted(maps.Keys(c.Lacking)) {
			reasons = append(reasons, fmt.Sprintf("%s %d", why, c.Lacking[why]))
		}
		fmt.Fprintf(b, "%s| `%s` | %d | %d | %s | %d |\n", head, r.Unit, c.Seen, c.Have, strings.Join(reasons, ", "), len(c.Unknown))
		head = ""
		for _, line := range c.Unknown {
			unknown = append(unknown, fmt.Sprintf("- `%s` %s\n", r.Unit, line))
		}
	}
	if head != "" {
		return
	}
	if len(unknown) > 0 {
		b.WriteString("\nUnknown:\n\n" + strings.Join(unknown, ""))
	}
	b.WriteByte('\n')
}
