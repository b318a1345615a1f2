// Package plan decides what is recorded in a file: a type-checked file -> edits with the rule that
// asked for each, sites, and what is not covered and why. Finish applies a plan to its file.
// Everything here is a pure function. The rules are those of package instrument.
//
// The decision is one walk over the file (walker). A visit of a statement or an expression asks the
// packages below what has to be recorded, puts the edits in, and notes what the rest of the
// function may rely on. That order is the order of the edits and of what is known, so asking and
// editing cannot be two passes. The files are grouped by what they visit:
//
//   - the file, its functions and package variables: decide.go, atomicity.go, wrapper.go; what they
//     become: plan.go, finish.go;
//   - statements: stmt.go, assign*.go, parallel.go, branches.go, for*.go, range.go, iteration.go,
//     return.go, spawn.go, header.go;
//   - expressions: visit.go, read.go, promote.go, dynamic.go, call.go, builtin.go, conversion.go,
//     library.go, modify.go, push.go, discard.go;
//   - operands that are evaluated together, and the order of their panics: region.go, phase.go,
//     late.go, keep.go, hoist.go, trial.go, repeat.go, bare.go;
//   - what is left out or announced: covered*.go, opaque.go.
package plan
