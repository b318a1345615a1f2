package trace

// Objects that have no memory. A goroutine that asks the runtime about all others Observes one of
// them, and what the others do Changes it.
const (
	// Goroutines is the number of goroutines. Each start and each end changes it, and they commute: a number does not show which came first.
	Goroutines Addr = 2 + iota
	// Everything is what stacks, profiles and statistics show. A goroutine that did something changes it before and after each look of another goroutine. These
	// changes commute. So a schedule with the look has it after the same steps as the run. A schedule without it, as one of two goroutines
	// that a third one watches, is not restricted.
	Everything
)
