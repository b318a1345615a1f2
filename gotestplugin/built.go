package gotestplugin

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/protocol"
)

// sayBuilt says which flags a binary that -c built does not know when it runs, and how it is told
// of those that it may have.
func (j *job) sayBuilt(s *protocol.Settings) {
	if !j.args.on("c") {
		return
	}
	given := func(by actor) []string {
		return flagNames(func(f flagSpec) bool { return f.by == by && j.args.given[f.name] })
	}
	if names := given(byCommand); len(names) > 0 {
		fmt.Fprintf(j.err, "racepred: -c only builds: %s would act when 'racepred test' runs the tests\n", strings.Join(names, ", "))
	}
	if names := given(byProcess); len(names) > 0 {
		told := protocol.Settings{Trace: s.Trace, Possible: s.Possible, Options: s.Options}
		if env := told.Environ(); len(env) > 0 {
			fmt.Fprintf(j.err, "racepred: -c only builds: run the binary with %s in its environment for %s\n", strings.Join(env, " "), strings.Join(names, ", "))
		}
	}
}
