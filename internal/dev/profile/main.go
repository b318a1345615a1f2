// Command profile makes the profile that the compiler optimizes racepred's engine by when it is
// built into tests.
//
//	go run ./internal/dev/profile [-n 30] -o internal/seam/engine.pgo [MODULE@VERSION[/PACKAGE] ...]
//
// Each package's tests are built with racepred test -c and run up to n times with a CPU profile.
// Whether they pass is not looked at.
//
// (P1) A suite counts as much as any other, whatever time it takes: the weights of its calls are
// made parts of the same sum.
// (P2) Calls count if both functions are the engine's. The recorder and the program are compiled
// without a profile, as if racepred were not there.
// (P3) The rare calls, which together have a two hundredth of the weight, are left out.
//
// The output is in the form of go tool preprofile: three lines for each call, the caller, the
// callee, and the line within the caller with the weight. It fits code that has changed since, as
// far as functions and lines in them are the same. Suites on which the gain is measured
// (docs/performance.md) are not among those of the default.
package main

import "github.com/racepred/racepred/internal/dev/command"

func main() { command.Main(Run) }
