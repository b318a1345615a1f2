package gotestplugin

import (
	"fmt"
	"os"
)

// traceDir is the directory for traces, which it makes if necessary. The tests run even if none can
// be written there: then racepred only says so.
func (j *job) traceDir() string {
	if j.args.trace == "" {
		return ""
	}
	dir := inDir(j.dir, j.args.trace)
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = writable(dir)
	}
	if err != nil {
		fmt.Fprintf(j.err, "racepred: -trace: %v; the tests run without it\n", err)
		return ""
	}
	return dir
}
