// Package bare has functions that racepred does not record, though it rewrites the package: they
// may not call.
package bare

// Flag is raised by functions that may not call anything.
type Flag struct{ up bool }

// Raise raises the flag.
//
//go:nosplit
func (f *Flag) Raise() { f.up = true }

// Up reports whether somebody has raised the flag.
//
//go:nosplit
func Up(f *Flag) bool { return f.up }
