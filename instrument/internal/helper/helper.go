// Package helper has the functions that rewritten code calls in expressions, as source for the
// packages of the standard library that they are laid into.
package helper

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed helpers.go.txt
var runtimeSource []byte

// Runtime is a file of package runtime: functions that arrange calls of those that package rt
// lists.
func Runtime() []byte { return bytes.Clone(runtimeSource) }

// Atomic is a file of package sync/atomic: the operations that rules instrument/D1 and
// instrument/D2 call. They do what the others do, and record nothing.
func Atomic() []byte {
	var b bytes.Buffer
	b.WriteString("package atomic\n")
	for _, op := range [...]string{"Add", "And", "Or"} {
		for _, name := range [...]string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr"} {
			fmt.Fprintf(&b, "\nfunc Racepred%[1]s%[2]s(addr *%[3]s, val %[3]s) %[3]s { return %[1]s%[2]s(addr, val) }\n\n"+
				"func (x *%[2]s) Racepred%[1]s(val %[3]s) %[3]s { return x.%[1]s(val) }\n", op, name, strings.ToLower(name))
		}
	}
	return b.Bytes()
}
