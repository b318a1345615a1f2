// Package gotestplugin is the command line of racepred: `go test`'s arguments
// -> go test with a recording build, its output, reports and an exit code.
//
// The steps of `racepred test`, one file each:
//
//	args.go       the command line: what is ours, what is go test's
//	config.go     what .racepred.yaml says beside it
//	toolchain.go  which go command will run, and is it supported
//	packages.go   what the package patterns stand for
//	choose.go     which of them are left, by -exclude and -shard
//	vet.go        go test's own vet, on the code as the user wrote it; vetting.go says when
//	recorder.go   what records which package: the rewriter or the compiler
//	atomics.go    which packages call sync/atomic's functions
//	gcflags.go    the compiler flags that follow from both
//	overlay.go    rewritten files and seam as one -overlay
//	cover.go      how covered packages get both counters and recording; covertool.go does it
//	embed.go      how what is embedded stays the original
//	tools.go      how the go command's tools are run for those two
//	run.go        go test itself, streamed, signals handed on
//	guard.go      what ends all that was started, should racepred be killed
//	testlog.go    the events of go test, for reports that list tests
//	watch.go      which packages go test says failed
//	tracedir.go   where the tests put their traces
//	outcome.go    the exit code
//
// shard.go leaves a part of the packages, merge.go is the command that puts the reports of the
// parts together. baseline.go, ignore.go, newfrom.go and waived.go have what fails nothing,
// baselinewrite.go the command that writes baselines, and diff.go the one that compares reports.
//
// The commands for traces, analyze.go and trace.go, are package offline with flags and exit codes.
//
// Everything is handed in as values (arguments, streams, environment, working directory) and
// nothing here exits or prints elsewhere, so that the command can be embedded.
package gotestplugin
