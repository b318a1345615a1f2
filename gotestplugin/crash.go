package gotestplugin

import (
	"bytes"
	"io"
)

// compilerCrash is how the compiler says that it cannot go on for a fault of its own.
const compilerCrash = "internal compiler error: "

// crashFinder hands on what the go command writes to standard error, and notes whether the compiler
// crashed.
type crashFinder struct {
	to      io.Writer
	last    []byte // the end of what was written before, shorter than compilerCrash
	crashed bool
}

func (c *crashFinder) Write(p []byte) (int, error) {
	all := append(c.last, p...)
	c.crashed = c.crashed || bytes.Contains(all, []byte(compilerCrash))
	c.last = bytes.Clone(all[max(0, len(all)-len(compilerCrash)+1):])
	return c.to.Write(p)
}

// crashHint is what to do if the compiler crashed, mode being how code was changed before
// (-instrument). The compiler itself asks for a report to Go's developers, who would get none of
// that code.
func crashHint(mode instrumentMode) string {
	const what = "racepred: the compiler crashed on code that racepred had changed. Please tell racepred's developers, unless 'go test' fails, too"
	if mode == instrumentCompiler {
		return what
	}
	return what + "; -instrument=compiler changes less of it, and may build"
}
