// Command unlocked takes locks out of code that nobody here wrote, one function at a time, and asks
// whether the module's own tests show the race.
//
//	go run ./internal/dev/unlocked [-n 10] [-again 0] [-seed 1] [-json] [-write docs/results/unlocked.md] [module@version[/package] ...]
//
// Of each package n functions are drawn that lock and unlock something. All calls that lock and
// unlock that one thing are taken out of the function, which keeps its lines; what does not build
// is drawn again. Then the package's tests run once with go test -race and once with racepred test,
// default flags each, but that racepred says what is only possible, too.
//
// (U1) The race is found if a report has the function in the stack of one of its accesses.
// (U2) Not every one of these functions races then: some run before others start, or are called by
// tests of one goroutine alone. What neither finds counts for neither.
//
// The exit status is 1 if a module could not be had or built.
package main

import "github.com/racepred/racepred/internal/dev/command"

func main() { command.Main(Run) }
