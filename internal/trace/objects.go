package trace

// Objects that have no memory. A goroutine that asks the runtime about all others Observes one of them, and what the others do Changes it.
const (
	Goroutines Addr = 2 + iota // the number of goroutines
	Everything                 // what stacks, profiles and statistics show
)
