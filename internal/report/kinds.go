package report

import (
	"strconv"
	"strings"
)

// kindText is what the text says of a kind of finding.
type kindText struct {
	title        string
	noun, plural string
	backwards    bool               // the later access comes first, as -race has them
	further      string             // the word before what the accesses after the first one do
	executed     int                // so many of the accesses, the first ones, are in a schedule that shows it: they have an order
	variable     bool               // its accesses are those of one variable
	lines        map[Verdict]string // where they are other than verdictLines
}

// kinds has a row for each kind of finding.
var kinds = map[Kind]kindText{
	Race: {title: "DATA RACE", noun: "race", plural: "races", variable: true, backwards: true, further: "previous "},
	Deadlock: {title: "DEADLOCK", noun: "deadlock", plural: "deadlocks", lines: map[Verdict]string{
		Observed:  "Observed (%s): in this very run these goroutines wait for ever.",
		Predicted: "Predicted (%s): this run took these locks one after the other; in a checked reordering of it the goroutines wait for each other for ever.",
	}},
	Leak: {title: "GOROUTINE LEAK", noun: "goroutine leak", plural: "goroutine leaks", lines: map[Verdict]string{
		Observed: "Observed (%s): nothing that still runs can wake this goroutine.",
	}},
	Atomicity: {title: "ATOMICITY VIOLATION", noun: "atomicity violation", plural: "atomicity violations", variable: true, further: "then ", executed: 2, lines: map[Verdict]string{
		Observed:  "Observed (%s): in this very run the second access came between the other two.",
		Predicted: "Predicted (%s): this run kept the second access from coming between the other two, a checked reordering of it does not.",
	}},
	Predicate: {title: "PREDICATE VIOLATION", noun: "predicate violation", plural: "predicate violations"},
	Misuse:    {title: "MISUSE OF SYNCHRONIZATION", noun: "misuse of synchronization", plural: "misuses of synchronization"},
}

// verdictLines says in one sentence what a verdict means; %s is the list
// of predictors.
var verdictLines = map[Verdict]string{
	Confirmed: "Confirmed (%s): a replay stopped the goroutines at these accesses.",
	Observed:  "Observed (%s): in this very run nothing orders these accesses.",
	Predicted: "Predicted (%s): this run kept these accesses apart, a checked reordering of it does not.",
	Reachable: "Reachable (%s): locks and hard edges allow these accesses at once, what this run read does not; this is no finding.",
	Possible:  "Possible (%s): no schedule that shows it was found; this does not fail the test.",
	Static:    "Static (%s): the source alone shows this, no run was made.",
}

// Noun is what a finding of the kind is called within a sentence.
func (k Kind) Noun() string { return kinds[k].noun }

// Sentence says what the finding's verdict means, and which predictors found it.
func (f *Finding) Sentence() string {
	before, after, _ := strings.Cut(f.line(), "%s")
	return before + strings.Join(f.By, ", ") + after
}

// line is the sentence about a finding's verdict.
func (f *Finding) line() string {
	if l, ok := kinds[f.Kind].lines[f.Verdict]; ok {
		return l
	}
	return verdictLines[f.Verdict]
}

// Kinds are all kinds, in the order in which summaries count them.
var Kinds = []Kind{Race, Deadlock, Atomicity, Predicate, Leak, Misuse}

// Ordered reports whether the accesses of a finding of this kind have an order. Otherwise two
// findings with the same ones are the same.
func (k Kind) Ordered() bool { return kinds[k].executed > 0 }

// OfVariable reports whether the accesses of a finding of this kind are those of one variable.
func (k Kind) OfVariable() bool { return kinds[k].variable }

// Count is so many findings of the kind, in words: "1 race", "3 races".
func (k Kind) Count(n int) string {
	if n == 1 {
		return strconv.Itoa(n) + " " + kinds[k].noun
	}
	return strconv.Itoa(n) + " " + kinds[k].plural
}
