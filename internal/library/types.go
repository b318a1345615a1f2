package library

// TypeFacts are what is known of a type.
type TypeFacts uint8

const (
	// SafeMethods: by the contract of the interface, several goroutines may call its methods, and the seam sees how they synchronize. (instrument/O3)
	SafeMethods TypeFacts = 1 << iota
	// Output: a write to it is recorded. (instrument/O11)
	Output
	// Attribute: a key and a value, as functions of package slog make it. (instrument/O11)
	Attribute
	// Plain: printing it reads nothing but the value itself. (instrument/O11)
	Plain
	// Made: a struct whose method Get calls its field New. (instrument/O12)
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
