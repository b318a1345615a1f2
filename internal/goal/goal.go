// Package goal describes what a schedule is to show: a kind of defect, and the events of the trace
// that it is about.
//
// A predictor proposes goals (package predict), package witness looks for schedules that reach
// them, package check says whether a schedule does, trace files keep goals whose search was
// deferred, and reports name the kind of a finding. Each of these has one place with its rule for a
// kind; Specs has what they share.
package goal

import "fmt"

// Kind is what is to be shown.
type Kind uint8

const (
	// Race is reached when two conflicting accesses are the next events of their goroutines.
	Race Kind = iota
	// Deadlock is reached when acquisitions are the next events of their goroutines, and each wants a lock that another of these goroutines holds, or wants read
	// mode of a lock that another one waits for in write mode.
	Deadlock
	// Atomicity is reached when two accesses of different goroutines have been executed, one after the other, and the next event of the first one's goroutine is a third
	// access of the same bytes: the second access conflicts with both others and comes between them.
	Atomicity
)

// Spec is what all packages need to know of a kind.
type Spec struct {
	Name     string // as reports have it
	Min, Max int    // how many events it is about; Max 0 is any number
	// Executed is how many of the events, the first ones, a schedule that reaches the goal has in it, in the order in which they are given.
	Executed int
}

// Specs has a row for each kind.
var Specs = [...]Spec{
	Race:      {Name: "race", Min: 2, Max: 2},
	Deadlock:  {Name: "deadlock", Min: 2},
	Atomicity: {Name: "atomicity", Min: 3, Max: 3, Executed: 2},
}

// Kinds are all kinds.
func Kinds() (list []Kind) {
	for k := range Specs {
		list = append(list, Kind(k))
	}
	return list
}

// Spec is the row of a kind.
func (k Kind) Spec() *Spec { return &Specs[k] }

func (k Kind) String() string {
	if int(k) >= len(Specs) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return k.Spec().Name
}

// Takes reports whether a goal of this kind may be about n events. A kind that is not in Specs
// takes none.
func (k Kind) Takes(n int) bool {
	return int(k) < len(Specs) && n >= k.Spec().Min && (n <= k.Spec().Max || k.Spec().Max == 0)
}

// Goal is a kind and the places of its events in a trace.
type Goal struct {
	Kind   Kind
	Events []int32
}

// Executed are the events that a schedule which reaches the goal has in it, in this order.
func (g Goal) Executed() []int32 { return g.Events[:g.Kind.Spec().Executed] }

// Next are the others. A schedule that reaches the goal leaves each as the next event of its
// goroutine.
func (g Goal) Next() []int32 { return g.Events[g.Kind.Spec().Executed:] }

// RaceOf is the race of two accesses.
func RaceOf(first, second int32) Goal { return Goal{Race, []int32{first, second}} }
