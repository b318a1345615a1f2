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

// Atomic is a file of package sync/atomic: the operations that rules instrument/D1 to instrument/D3
// call. They do what the others do, and record nothing.
func Atomic() []byte {
	var b bytes.Buffer
	b.WriteString("package atomic\n\nimport \"unsafe\"\n")
	for _, name := range [...]string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"} {
		t := strings.ToLower(name)
		if name == "Pointer" {
			t = "unsafe.Pointer"
		}
		fmt.Fprintf(&b, "\nfunc RacepredSeenLoad%[1]s(addr *%[2]s) %[2]s { return Load%[1]s(addr) }\n\n"+
			"func RacepredSeenStore%[1]s(addr *%[2]s, val %[2]s) { Store%[1]s(addr, val) }\n\n"+
			"func RacepredSeenSwap%[1]s(addr *%[2]s, val %[2]s) %[2]s { return Swap%[1]s(addr, val) }\n\n"+
			"func RacepredSeenCompareAndSwap%[1]s(addr *%[2]s, old, new %[2]s) bool { return CompareAndSwap%[1]s(addr, old, new) }\n", name, t)
	}
	for _, op := range [...]string{"Add", "And", "Or"} {
		for _, name := range [...]string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr"} {
			fmt.Fprintf(&b, "\nfunc Racepred%[1]s%[2]s(addr *%[3]s, val %[3]s) %[3]s { return %[1]s%[2]s(addr, val) }\n\n"+
				"func RacepredSeen%[1]s%[2]s(addr *%[3]s, val %[3]s) %[3]s { return %[1]s%[2]s(addr, val) }\n\n"+
				"func (x *%[2]s) Racepred%[1]s(val %[3]s) %[3]s { return x.%[1]s(val) }\n", op, name, strings.ToLower(name))
		}
	}
	return b.Bytes()
}
