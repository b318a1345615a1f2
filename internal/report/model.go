// Package report turns findings into what people and tools read. This file is
// the model; each format has a file of its own. The field names and the JSON keys are the
// public schema (version 1): keys may be added, never renamed.
//
// The model and the text format are linked into the tested binary, so they
// import only what package testing already does.
package report

import (
	"strconv"

	"github.com/racepred/racepred/internal/symbol"
)

// Version is the schema's version.
const Version = 1

// Report is one whole run of `racepred test`.
type Report struct {
	Version      int         `json:"version"`
	Fingerprints int         `json:"fingerprints"` // the FingerprintVersion of the findings
	Tool         Tool        `json:"tool"`
	Dir          string      `json:"dir,omitempty"` // what files are relative to, within its repository: slash-separated, "" for the repository's root
	Root         string      `json:"-"`             // the same directory on this machine, "" if sources are not to be read
	Findings     []Finding   `json:"findings"`
	Directed     []Finding   `json:"directed,omitempty"` // no findings: pairs worth a run that is directed at them, the most promising first
	Uncovered    []Uncovered `json:"uncovered"`
	Stats        Stats       `json:"stats"`
	LeaksFail    bool        `json:"leaks_fail,omitempty"` // the run was told that leaks count as races do

	Packages []PackageStats `json:"packages,omitempty"` // by import path
	Shard    *Shard         `json:"shard,omitempty"`    // nil: of all packages that were named
	Tests    []PackageTests `json:"-"`                  // by import path; nil if the format does not need them
}

// PackageStats are the totals of the test processes of one package.
type PackageStats struct {
	Package string `json:"package"`
	Stats   Stats  `json:"stats"`
}

// Shard is which part of the named packages a run is of.
type Shard struct {
	Index int    `json:"index"` // from 1
	Of    int    `json:"of"`
	Deal  string `json:"deal"` // a hash of which package is in which shard
}

// String is "2/5".
func (s *Shard) String() string { return strconv.Itoa(s.Index) + "/" + strconv.Itoa(s.Of) }

// Fails reports whether f, a finding of r, fails the run or the vet pass.
func (r *Report) Fails(f *Finding) bool {
	return f.Fails() || f.Waived == "" && (f.Verdict == Static || r.LeaksFail && f.Kind == Leak)
}

// Tool names what made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"` // the toolchain of the tested module, as in "go1.26.8"
}

// Kind is what was found.
type Kind string

// The kinds of findings.
const (
	Race      Kind = "race"
	Deadlock  Kind = "deadlock"
	Leak      Kind = "leak" // a goroutine that nothing can wake any more
	Atomicity Kind = "atomicity"
	Predicate Kind = "predicate"
	Misuse    Kind = "misuse" // of synchronization, which does not do what it is there for; the vet pass alone has it
)

// Waits reports whether findings of this kind are about goroutines that wait.
func (k Kind) Waits() bool { return k == Deadlock || k == Leak }

// Fails reports whether a finding fails its test. A goroutine that is left behind is worth knowing
// of, but many a suite leaves some.
func (f *Finding) Fails() bool { return f.Kind != Leak && f.Waived == "" && f.Verdict.Fails() }

// Verdict says how sure a finding is.
type Verdict string

// The verdicts, surest first. All but Possible fail the test; no finding has Reachable, and those
// of tests have no Static.
const (
	Confirmed Verdict = "confirmed" // the replay stopped both goroutines at the two accesses
	Observed  Verdict = "observed"  // unordered by happens-before in this very run
	Predicted Verdict = "predicted" // a checked witness has them side by side
	Possible  Verdict = "possible"  // a predictor says so, no witness within the budget
	Reachable Verdict = "reachable" // locks and hard edges allow it, with other values than the run's; worth a directed run
	Static    Verdict = "static"    // the vet pass read it in the source; no run was made
)

// Finding is one race (or other defect), once per run. What is found of one variable between the
// same functions is one finding: the accesses are those that say it best, and Also has the others.
type Finding struct {
	ID          string   `json:"id"`          // stable within the report: R1, R2, ...
	Fingerprint string   `json:"fingerprint"` // stable across runs and unrelated edits; no line numbers in it
	Kind        Kind     `json:"kind"`
	Verdict     Verdict  `json:"verdict"`
	By          []string `json:"by"` // predictors that proposed it: hb, wcp, ...
	Package     string   `json:"package"`
	Test        string   `json:"test"`           // "" when outside of any test
	Variable    string   `json:"variable"`       // "" when unknown
	Accesses    []Access `json:"accesses"`       // two of a race, as the run had them; three of an atomicity violation, as it has them; of a deadlock and a leak, what each goroutine waits in
	Unit        *Unit    `json:"unit,omitempty"` // of an atomicity violation
	Run         *Run     `json:"run,omitempty"`  // what the run did around the accesses
	Witness     *Witness `json:"witness,omitempty"`
	Note        string   `json:"note,omitempty"`   // why it is only possible, or what else the reader should know
	Vet         string   `json:"vet,omitempty"`    // the message of the vet pass about one of the accesses
	Waived      string   `json:"waived,omitempty"` // why it fails nothing though others of its verdict do (package waive)
	Rank        int      `json:"rank,omitempty"`   // of a Reachable one: 1 is most promising
	Also        []Places `json:"also,omitempty"`   // by position; of a whole report alone
}

// Places are positions at which a finding was seen, in addition to those of its Accesses.
type Places struct {
	Verdict  Verdict `json:"verdict"`
	Package  string  `json:"package"`
	Test     string  `json:"test"`
	Accesses []Place `json:"accesses"` // as the finding's
}

// Elsewhere says where the places of Also are. A goroutine that waits has one position, which is
// found by the tests of several packages.
func (f *Finding) Elsewhere() string {
	if f.Kind.OfVariable() {
		return "at other places"
	}
	return "in other packages"
}

// Each are the finding and those of Also as findings of their own. The latter have positions only.
func (f *Finding) Each() []Finding {
	list := []Finding{*f}
	list[0].Also = nil
	for _, p := range f.Also {
		one := Finding{
			ID: f.ID, Fingerprint: f.Fingerprint, Kind: f.Kind, Verdict: p.Verdict, By: f.By, Package: p.Package, Test: p.Test, Variable: f.Variable, Waived: f.Waived,
		}
		for _, a := range p.Accesses {
			one.Accesses = append(one.Accesses, Access{Op: a.Op, File: a.File, Line: a.Line, Column: a.Column, Expr: a.Expr})
		}
		list = append(list, one)
	}
	return list
}

// Place is an access without what only its run knows.
type Place struct {
	Op     string `json:"op"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"` // from 1; 0 when unknown
	Expr   string `json:"expr,omitempty"`
}

// Unit is the function in whose call the first and the third access of an atomicity violation are.
type Unit struct {
	Func   string `json:"func"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Marked bool   `json:"marked"` // by //racepred:atomic; if not, the two are in two sections of a lock, one after the other
}

// Sentence says what is meant to be atomic. The file is relative to root if it lies beneath it.
func (u *Unit) Sentence(root string) string {
	at := u.Func + ", at " + Rel(root, u.File) + ":" + strconv.Itoa(u.Line)
	if u.Marked {
		return "What " + at + ", does is meant to be atomic."
	}
	return "What one section of a lock and the next one do in " + at + ", is taken to be meant as one step."
}

// Access is one participant of a finding.
type Access struct {
	Op        string  `json:"op"` // read, write, lock, send, close, ...; "atomic read", "atomic write"
	File      string  `json:"file"`
	Line      int     `json:"line"`
	Column    int     `json:"column,omitempty"` // from 1; 0 when unknown
	Func      string  `json:"func"`
	Goroutine int     `json:"goroutine"`
	Thread    string  `json:"thread,omitempty"` // the goroutine's name, in a trace that has names
	Addr      uint64  `json:"-"`
	Expr      string  `json:"expr,omitempty"`
	Stack     []Frame `json:"stack"`   // innermost first
	Created   []Frame `json:"created"` // the goroutine's creation stack; empty for main
	Locks     []Lock  `json:"locks"`
}

// Position tells the accesses of findings of a kind apart. To a goroutine that waits belongs where
// it was started, since many may wait in one function for different reasons.
func (a *Access) Position(k Kind) string {
	at := a.File + ":" + strconv.Itoa(a.Line) + ":" + strconv.Itoa(a.Column)
	if k.Waits() && len(a.Created) > 0 {
		at += "<" + a.Created[0].File + ":" + strconv.Itoa(a.Created[0].Line)
	}
	return at
}

// Frame is one line of a stack: func, file, line.
type Frame = symbol.Frame

// Who is " by goroutine 8"; "" for an access without a run.
func (a *Access) Who() string {
	if a.Goroutine == 0 {
		return ""
	}
	return " by " + GoroutineName(a.Thread, a.Goroutine)
}

// GoroutineName is the name of a goroutine: its thread's, in a trace that has names, or "goroutine
// 8".
func GoroutineName(thread string, goroutine int) string {
	switch {
	case thread != "":
		return thread
	case goroutine == 1:
		return "main goroutine"
	}
	return "goroutine " + strconv.Itoa(goroutine)
}

// Lock is one lock held at an access, with the place it was acquired at.
type Lock struct {
	Name string `json:"name"` // as written at the call, "c.mu"; "" when unknown
	File string `json:"file"`
	Line int    `json:"line"`
	Mode string `json:"mode"` // "w" or "r"
	// Channel says that it is a channel for one element, in which a value of the goroutine lies: it locks if the goroutine takes the value out again.
	Channel bool `json:"channel,omitempty"`
}

// Holding says that a goroutine has the lock, and where it got it: "holding c.mu for reading,
// locked at cache.go:7". The file is relative to root if it lies beneath it.
func (l *Lock) Holding(root string) string {
	s, how := l.words()
	if l.File == "" {
		return s
	}
	s += ", " + how + " at " + Rel(root, l.File)
	if l.Line > 0 {
		s += ":" + strconv.Itoa(l.Line)
	}
	return s
}

// words say that a goroutine has the lock, and how it got it: "holding c.mu for reading", "locked".
func (l *Lock) words() (held, how string) {
	name := l.Name
	if name == "" {
		name = "a lock"
	}
	switch {
	case l.Channel && l.Name == "":
		return "with its value in a channel", "sent"
	case l.Channel:
		return "with its value in " + name, "sent"
	case l.Mode == "r":
		return "holding " + name + " for reading", "locked"
	}
	return "holding " + name, "locked"
}

// Witness is a schedule that ends with both accesses enabled side by side.
type Witness struct {
	Events int    `json:"events"`
	Steps  []Step `json:"steps"`
}

// Run is what the run itself did, in its order: the last steps of the finding's goroutines before
// their accesses, and how the accesses were kept apart.
type Run struct {
	Steps []Step `json:"steps"`
}

// Step is one operation of a goroutine: it synchronizes, or accesses memory.
type Step struct {
	Goroutine int    `json:"goroutine"`
	Thread    string `json:"thread,omitempty"` // as in Access
	Op        string `json:"op"`               // read, write, lock, send, close, go, ...; "call" of a function of the library that synchronizes
	File      string `json:"file,omitempty"`   // "" when unknown
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	Name      string `json:"name,omitempty"`   // what it is done to, as written there: "c.mu", "c.items[k]"; the function that is called
	Object    int    `json:"object,omitempty"` // which lock, channel, ... it is, from 1, the same in the run and in the witness; 0 for memory
	Event     uint64 `json:"event"`            // its number in the run; the same step has the same number in the run and in the witness
	Access    int    `json:"access,omitempty"` // which of the finding's accesses it is, from 1; 0 is none
	After     []Edge `json:"after,omitempty"`  // steps of other goroutines that it comes after
}

// Edge says which earlier step a step waits for.
type Edge struct {
	Step int  `json:"step"` // its place in the list, from 0
	Why  Why  `json:"why"`
	Kept bool `json:"kept,omitempty"` // the run kept the finding's accesses apart by it
}

// Why says why a step comes after another one.
type Why string

// The reasons.
const (
	ByStart Why = "start" // it started the goroutine
	ByEnd   Why = "end"   // it was the last of a goroutine that is waited for
	BySync  Why = "sync"  // it was waited for
	ByLock  Why = "lock"  // it gave a lock back; the two sections may trade places
	ByOrder Why = "order" // the earlier step changed what the later one observes
)

// Before reports whether w says more than v.
func (w Why) Before(v Why) bool { return w != v && (v == ByOrder || v == ByLock && w != ByOrder) }

// Uncovered is something that was not instrumented or not analysed, and why.
type Uncovered struct {
	Package string `json:"package"`
	Reason  string `json:"reason"`
}

// String is "package: reason", or the reason alone if it is about no package.
func (u Uncovered) String() string {
	if u.Package == "" {
		return u.Reason
	}
	return u.Package + ": " + u.Reason
}

// Stats are totals over the run's processes.
type Stats struct {
	Events        uint64  `json:"events"`
	Filtered      uint64  `json:"filtered"`
	BusyPositions uint64  `json:"busy_positions,omitempty"` // where accesses were left out (docs/sampling.md)
	Candidates    uint64  `json:"candidates"`
	Infeasible    uint64  `json:"infeasible"` // candidates that are proven not to race in any schedule of the run
	Unknown       uint64  `json:"unknown"`
	Evicted       uint64  `json:"evicted"`
	Seconds       float64 `json:"seconds"`
	Rules         []Rule  `json:"rules,omitempty"`
}

// Rule is how often a predictor's rule ordered what nothing had ordered before.
type Rule struct {
	Predictor string `json:"predictor"`
	Rule      string `json:"rule"`
	Fired     uint64 `json:"fired"`
}
