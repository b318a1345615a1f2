// Command bench measures the cost of racepred beside plain go test and go test -race,
// and prints it as Markdown.
//
//	go run ./bench [-n 3] [-md file] [-run regexp] [-modes mode,...]
//
// measures the workloads of bench/workloads: wall time, CPU time and peak memory of the test
// binaries, plain, under -race (with and without its sleep of 1 s at exit), recording only
// (RACEPRED_OPTS=predict=none), and recording with prediction. Each is run n times, in turn, so
// that a busy machine disturbs all alike. The exit status is 1 if one of them failed, which
// includes a report of a race: the workloads have none.
//
//	go run ./bench -seam [-n 3] [-md file] [-run regexp]
//
// measures code that is not recorded, in a binary that has the hooks (bench/seamonly).
//
//	go run ./bench -stress [-short] [-for 10m] [-run regexp] [-md file]
//
// runs the programs of bench/stress, which have no race, under racepred: memory that is used again
// and again (lives), a bit of everything with all events checked (soak), very many accesses, very
// many goroutines that wait. The exit status is 1 if one of them failed, or a finding of any
// verdict or an internal error came up. docs/results/stress.md is the page of -short.
//
//	go run ./bench -exit [-n 15] [-md file]
//
// measures a test binary whose test passes at once.
//
//	go run ./bench modules [-modules regexp] [-rounds 3] [-md docs/results/modules.md] [-json file]
//
// measures the test processes of real modules (the table is in suites.go) by themselves: CPU time
// and peak memory, plain, under -race without its sleep, and under racepred, in turn. For each
// package it counts the records, which shows whether there was anything to predict from. This
// measurement of the cost comes first; the workloads are our own programs.
//
//	go run ./bench settings [-modules regexp] [-rounds 5] [-md file] SETTING SETTING
//
// measures the same test processes under racepred with one setting of RACEPRED_OPTS beside another,
// so that what a predictor costs can be told.
//
//	go run ./bench builds [-modules regexp] [-rounds 1] [-md docs/results/builds.md]
//
// measures what it costs to build the tests of some of these modules, with empty caches and after a
// change.
//
//	go run ./bench [-n 3] [-racepred file] standard | module@version ...
//
// runs the tests of real modules under go test, go test -race and racepred test, and says how long
// each took and whether they agree; standard is a list of six. The modules come from the
// module proxy, are copied to a temporary directory and forgotten afterwards. The three commands
// are first run once to build, then n times in turn, so that a busy machine disturbs all alike; the
// times are medians. The exit status is 1 if racepred's tests came out differently from plain go
// test's.
package main

import "github.com/racepred/racepred/internal/dev/command"

// standard is what the argument "standard" stands for: small,
// self-contained, and busy with goroutines.
var standard = []string{
	"golang.org/x/sync@v0.24.0",
	"github.com/hashicorp/golang-lru/v2@v2.0.7",
	"github.com/sourcegraph/conc@v0.3.0",
	"github.com/jackc/puddle/v2@v2.2.3",
	"github.com/alitto/pond/v2@v2.7.1",
	"github.com/gammazero/workerpool@v1.3.0",
}

func main() {
	between()
	command.Main(Run)
}
