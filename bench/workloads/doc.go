// Package workloads holds one directory for each workload that `go run ./bench` measures: an
// ordinary package with one test, free of data races, that takes a few hundred milliseconds of
// plain `go test`. Each checks its result, so that no work can be left out unseen. It is a module
// of its own so that `./...` of racepred's does not run them.
package workloads
