package library

// TypeFacts are what is known of a type.
type TypeFacts uint8

const (
	// SafeMethods: by the contract of the interface its methods are safe for use by several goroutines, with synchronization that the seam sees. (instrument/O3)
	SafeMethods TypeFacts = 1 << iota
	// Output: what is written to it is recorded. (instrument/O11)
	Output
	// Attribute: what a function of package slog makes of a key and a value. (instrument/O11)
	Attribute
	// Plain: it is printed by what it is alone. (instrument/O11)
	Plain
	// Made: a struct of which Get calls the field New. (instrument/O12)
	Made
)

// typeRows lists the types of the library of which something is known.
var typeRows = []struct {
	path, name string
	facts      TypeFacts
}{
	{"context", "Context", SafeMethods},
	{"log/slog", "Attr", Attribute},
	{"os", "File", Output},
	{"sync", "Locker", SafeMethods},
	{"sync", "Pool", Made},
	{"testing", "TB", SafeMethods},
	{"time", "Duration", Plain},
	{"time", "Time", Plain},
}

// OfType is what is known of a type; 0 is nothing.
func OfType(path, name string) TypeFacts {
	for _, t := range typeRows {
		if t.path == path && t.name == name {
			return t.facts
		}
	}
	return 0
}
