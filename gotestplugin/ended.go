package gotestplugin

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// cutShort is what was not covered because processes did not end in order. ends has, by package,
// the go command's words about the end of its process.
//
// Processes that a test started may end in any way, as long as nothing is lost by it.
func (o *outcome) cutShort(ends map[string]string) (list []report.Uncovered) {
	for i := range o.run.Processes {
		p := &o.run.Processes[i]
		pkg, started := o.packageOf(p), o.started(p)
		if pkg == "" {
			pkg = p.Package
		}
		var why string
		switch {
		case p.End == protocol.EndUnknown:
			why = fmt.Sprintf("the test process ended without notice%s: %d events were analysed, what it did after them is missing", inParentheses(ends[pkg]), p.Stats.Events)
			if !started {
				why = "a process that the tests started ended without notice, as by SIGKILL: what it did last is missing"
			}
			if p.Waiting > 0 {
				why += fmt.Sprintf("; pairs of accesses that may race and were not looked into: %d", p.Waiting)
			}
		case p.End != "" && started:
			end := p.End
			if end == protocol.EndSignal {
				end = strings.TrimPrefix(ends[pkg], "signal: ")
				end = fmt.Sprintf("signal %d%s", p.Exit, inParentheses(end))
			}
			why = fmt.Sprintf("the test process was ended by %s: %d events until then were analysed, the rest of the tests did not run", end, p.Stats.Events)
		case p.Unfinished && started:
			why = fmt.Sprintf("the test process ended with status %d while its tests ran, as by os.Exit or log.Fatal: %d events until then were analysed, the rest of the tests did not run", p.Exit, p.Stats.Events)
		default:
			continue
		}
		list = append(list, report.Uncovered{Package: pkg, Reason: why})
	}
	return list
}

func inParentheses(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
