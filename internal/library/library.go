// Package library has what racepred knows of the standard library: import path and name of a
// function, a type or a package -> facts.
//
// Only listed names have facts:
//
// (F1) A name is that of one function, type or package, never a pattern. A function that a later
// toolchain adds has no facts: it is opaque, keeps its arguments, may synchronize and may call
// anything, until somebody has read it, or until its source has shown that it is contained
// (shown.go).
//
// (F2) The tests of this package compare each fact with the source of the toolchain. They check
// that the function exists, and the fact as far as its signature, its body, the bodies of all that
// it calls, and the compiler's escape analysis show it. A fact that these cannot show has its
// reason in the test.
//
// A method has the name of its declaration, without the star: "Builder.WriteString", and
// "common.Log" for testing.T.Log.
//
// Package seam has knowledge of its own in its edits: each of them must find its text in the
// toolchain's source.
package library

import (
	"strings"
	"sync"
)

// Facts are what is known of a function, a bit for each fact.
type Facts uint32

// The rules in brackets are those of package instrument that ask for them.
const (
	// Harmless: it runs no code but the library's own and functions that it is given as arguments, on the caller's goroutine. It accesses no memory of
	// its caller, or its package synchronizes, or the access is recorded. (instrument/O1) (instrument/O9) (instrument/O12)
	Harmless Facts = 1 << iota
	// Fills: it is harmless except for the memory that it is given, which leads to no other memory. (instrument/O9)
	Fills
	// Computes: it does not synchronize, and calls nothing that it is given. (instrument/C1)
	Computes
	// KeepsNothing: it uses its arguments only while it runs, and calls functions among them on its caller's goroutine. (instrument/L3)
	KeepsNothing
	// KeepsFirst: it returns its first argument, a slice, or a new slice in its place; it may keep the other arguments. (instrument/L3)
	KeepsFirst
	// Contained: when the compiler records its package, a call is recorded to its end. (instrument/O8)
	Contained
	// Told: as Contained, though nobody records its package: package syscall tells what it reads of its caller. (instrument/O11)
	Told
	// CallsBack: as Contained, except that it calls methods of its first argument. (instrument/O8)
	CallsBack
	// Later: it calls its argument on a goroutine of its own, or at the end of the test or program. (instrument/O12)
	Later
	// FromPool: it may call the function that its pool was made with. (instrument/O12)
	FromPool
	// OfSource: it calls the source of random numbers that its receiver was made of. (instrument/O12)
	OfSource
	// TakesSource: it makes such a receiver of its argument. (instrument/O12)
	TakesSource
	// IsSource: it returns a source that runs only the library's code and that of its argument. (instrument/O12)
	IsSource
	// Iterator: the function that it returns calls the body of a range on its caller's goroutine, and does not keep it. (instrument/L4)
	Iterator
	// Locks, RLocks, Unlocks: it takes the lock that it is a method of, takes it in read mode, or gives it back. Attempts count.
	Locks
	RLocks
	Unlocks
	// OfGroup: it adds to the WaitGroup that it is a method of, or waits for it.
	OfGroup
	// Commutes: an atomic operation that may trade places with its like if the result is thrown away. (instrument/D1)
	Commutes
	// ReadsElements, WritesElements, SortsElements: a generic function that accesses all elements of its first argument, a slice. (instrument/B5)
	// The elements that a sort writes depend on their values.
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

func rows() [][]row { return [][]row{text, numbers, collections, synchronization, shown} }

// index is the table by path and name. It is made at the first question, so that a binary that asks
// none has no table.
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

// Of are the facts of a function or method; 0 is none.
func Of(path, name string) Facts {
	index.once.Do(build)
	return index.functions[path][name]
}
