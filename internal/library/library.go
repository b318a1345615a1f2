// Package library is what racepred knows of the standard library: import path and name of a function, a type or a package -> facts.
//
// Whoever asks gets no more than what is listed. So
//
// (F1) a name is that of one function, type or package, never a pattern. A function that a later toolchain adds has no facts: it is
// opaque, keeps what it is given, may synchronize and calls whatever it likes, until somebody has read it;
//
// (F2) the tests of this package hold each fact to the source of the toolchain: that the function exists, and the claim as far as its
// signature, its body and those of all that it calls, and the compiler's escape analysis show it. What they cannot show has its reason in the test.
//
// A method is named as its declaration does, without the star: "Builder.WriteString", and "common.Log" for what testing.T has of it.
//
// Package seam has knowledge of its own in its edits: each of them must find its text in the toolchain's source.
package library

import (
	"strings"
	"sync"
)

// Facts are what is known of a function.
type Facts uint32

// The rules in brackets are those of package instrument that ask for them.
const (
	// Harmless functions run no code but the library's own and, in their caller's place, functions that they are given as arguments. They touch no memory
	// of their caller's, or synchronize, or tell the recorder of it. (instrument/O1) (instrument/O9) (instrument/O12)
	Harmless Facts = 1 << iota
	// Fills: but for the memory that it is given, which leads to no other, it is harmless. (instrument/O9)
	Fills
	// Computes: it does not synchronize, and calls nothing that it is given. (instrument/C1)
	Computes
	// KeepsNothing: it only uses what it is given, and functions only while it runs and on its caller's goroutine. (instrument/L3)
	KeepsNothing
	// KeepsFirst: it returns its first argument, a slice, or a new one in its place; it may keep the others. (instrument/L3)
	KeepsFirst
	// Contained: when the compiler records its package, a call is recorded to its end. (instrument/O8)
	Contained
	// CallsBack: so it is, but for methods of its first argument, which it calls. (instrument/O8)
	CallsBack
	// Later: it calls its argument in a goroutine of its own, or when all is over. (instrument/O12)
	Later
	// FromPool: it may call the function that its pool was made with. (instrument/O12)
	FromPool
	// OfSource: it calls the source of random numbers that its value was made of. (instrument/O12)
	OfSource
	// TakesSource: it makes such a value of what it is given. (instrument/O12)
	TakesSource
	// IsSource: it returns a source that runs no code but the library's, or what TakesSource was asked about. (instrument/O12)
	IsSource
	// Iterator: what it returns calls the body of a range on its caller's goroutine, and does not keep it. (instrument/L4)
	Iterator
	// Locks, RLocks, Unlocks: it takes, takes for reading, gives back the lock that it is a method of, or tries to.
	Locks
	RLocks
	Unlocks
	// Commutes: an atomic operation that may trade places with its like when nobody looks at the result. (instrument/D1)
	Commutes
	// ReadsElements, WritesElements, SortsElements: a generic function that accesses all elements of the slice that is its first argument. (instrument/B5)
	// Which ones a sort writes, if any, depends on their values.
	ReadsElements
	WritesElements
	SortsElements
)

// Is reports whether all the facts of want are known.
func (f Facts) Is(want Facts) bool { return f&want == want }

// row lists functions of a package with the same facts. A function may be in several rows.
type row struct {
	path  string
	facts Facts
	names string // separated by spaces
}

func rows() [][]row { return [][]row{text, numbers, collections, synchronization} }

// index is the table by path and name. It is made when somebody asks, so that a binary where nobody does has no table.
var index struct {
	once      sync.Once
	functions map[string]map[string]Facts
	printers  map[string]map[string]Printer
}

func build() {
	index.functions = map[string]map[string]Facts{}
	for _, group := range rows() {
		for _, r := range group {
			of := index.functions[r.path]
			if of == nil {
				of = map[string]Facts{}
				index.functions[r.path] = of
			}
			for _, name := range strings.Fields(r.names) {
				of[name] |= r.facts
			}
		}
	}
	index.printers = map[string]map[string]Printer{}
	for _, r := range printers {
		of := index.printers[r.path]
		if of == nil {
			of = map[string]Printer{}
			index.printers[r.path] = of
		}
		for _, name := range strings.Fields(r.names) {
			of[name] = r.printer
		}
	}
}

// Of is what is known of a function or method; 0 is nothing.
func Of(path, name string) Facts {
	index.once.Do(build)
	return index.functions[path][name]
}
