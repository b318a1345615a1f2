package format

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// rule describes a kind of finding, for formats with room for it.
type rule struct {
	id, title, what, help string
	level                 string // error or warning: what a finding that is not just possible counts as
}

var ruleTable = map[report.Kind]rule{
	report.Race: {
		"data-race", "Data race", "Two goroutines access the same memory, one of them writes, and nothing orders the accesses, in this run or in another schedule of it.",
		"Let one lock guard every access, hand the value over by a channel, or use sync/atomic. In a predicted race the run kept the accesses apart by accident: look for the step of the schedule that you thought could only come in another order.",
		"error",
	},
	report.Deadlock: {
		"deadlock", "Deadlock", "Goroutines wait for locks that others of them hold, in this run or in another schedule of it.",
		"Take the locks in one order everywhere, or give one back before you take the next. A read lock must not be taken again by a goroutine that has it: a writer may wait in between.",
		"error",
	},
	report.Atomicity: {
		"atomicity-violation", "Atomicity violation", "Another goroutine's access comes between two that are meant to be one step.",
		"Keep the lock from the first access to the last, or look again in the second section before you act.",
		"error",
	},
	report.Predicate: {
		"predicate-violation", "Predicate violation", "A schedule of the run reaches a state that the program says must not be.",
		"Look at the last steps of the schedule: they are what the program has to order.",
		"error",
	},
	report.Leak: {
		"goroutine-leak", "Goroutine leak", "A goroutine waits for something that nothing in the program can bring about any more.",
		"Close the channel, cancel the context, give the channel room for the answer, or unlock on every way out.",
		"warning",
	},
	report.Misuse: {
		"misuse-of-synchronization", "Misuse of synchronization", "A lock, a WaitGroup, a channel or an atomic variable is used in a way that does not do what it is there for.",
		"The message says what is wrong with this use, and where the other half of it is.",
		"warning",
	},
}

func ruleOf(k report.Kind) rule { return ruleTable[k] }

// shown are the findings that people see: all but those that are waived silently.
func shown(findings []report.Finding) []report.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f report.Finding) bool { return waive.Silent(f.Waived) })
}

// headline is a finding in a few words: "Data race on c.n in TestPut, predicted by wcp".
func headline(f *report.Finding) string {
	s := ruleOf(f.Kind).title
	if f.Variable != "" {
		s += " on " + f.Variable
	}
	if f.Test != "" {
		s += " in " + f.Test
	}
	s += ", " + string(f.Verdict)
	if len(f.By) > 0 {
		s += " by " + strings.Join(f.By, ", ")
	}
	return s
}

// primary is the index in f.Accesses of the access at which tools show the finding: the latest one
// in the repository.
func primary(f *report.Finding) int {
	for i := len(f.Accesses) - 1; i >= 0; i-- {
		if !path.IsAbs(f.Accesses[i].File) {
			return i
		}
	}
	return len(f.Accesses) - 1
}

// describe is an access in a few words: "write of c.n by goroutine 8, holding c.mu".
func describe(a *report.Access) string {
	s := a.Op
	if a.Expr != "" {
		s += " of " + a.Expr
	}
	s += a.Who()
	var held, sent []string
	for _, l := range a.Locks {
		switch {
		case l.Name == "":
		case l.Channel:
			sent = append(sent, l.Name)
		default:
			held = append(held, l.Name)
		}
	}
	if len(held) > 0 {
		s += ", holding " + strings.Join(held, ", ")
	}
	if len(sent) > 0 {
		s += ", with its value in " + strings.Join(sent, ", ")
	}
	return s
}

// message is one paragraph: what was found, how sure it is, and the participants, the primary one
// first and then those of others. plain escapes a name.
func message(f *report.Finding, first int, others []string, plain func(string) string) string {
	s := plain(headline(f)) + "."
	sentence := func(s string) string { return plain(capital(s)) }
	if f.Verdict == report.Static { // its texts begin with a name from the source
		sentence = plain
	}
	if first >= 0 {
		s += " " + sentence(describe(&f.Accesses[first]))
	}
	if len(others) > 0 {
		s += "; " + strings.Join(others, "; ")
	}
	if first >= 0 {
		s += "."
	}
	if n := len(f.Also); n > 0 {
		s += fmt.Sprintf(" It is there %s, too: %d.", f.Elsewhere(), n)
	}
	if f.Note != "" {
		s += " " + sentence(f.Note) + "."
	}
	if f.Vet != "" {
		s += " The source alone shows it, too: " + plain(f.Vet) + "."
	}
	return s
}

func capital(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
