// Command kernels asks how often one run of a test shows the race that the program is known for,
// with -race and with racepred.
//
//	go run ./internal/dev/kernels [-n 5] [-run RE] [-json] [-write docs/results/kernels.md] DIR
//
// DIR has packages with tests, each of which is a small program with one bug: the non-blocking
// kernels of GoBench, for example, which are bugs of real projects cut down to what they need
// (github.com/timmyyuan/gobench, directory gobench/goker/nonblocking of a checkout). It is copied.
// If it is no module, it becomes one of Go 1.21, where a loop has one variable for all of its
// rounds, as when these programs were written.
//
// Each package's tests run n times with go test -race and n times with racepred test, in turn,
// default flags each.
//
// (R1) A run shows the race if it reports any data race. Which one is not looked at: what racepred
// reports and -race does not is to be read, and the page names these packages.
// (R2) Not every run of such a program can show its bug, nor can every one be predicted from: in
// some, one worker does all the work. So the page compares how often each does.
//
// The exit status is 1 if a package does not build, or if one run of -race showed a race and none
// of racepred's did.
package main

import "github.com/racepred/racepred/internal/dev/command"

func main() { command.Main(Run) }
