package offline

import (
	"io"

	"github.com/racepred/racepred/internal/trace"
)

// batches returns a function that gives the rest of a file's events, many at a time where that is
// possible. They are valid until the next call, and there are none unless the answer is Next. A
// text in STD, which has no tables, is read ahead in a goroutine; Place must not be called
// meanwhile, and stop ends the goroutine.
//
// If the text has every access and can be read twice, it is surveyed first.
func (c Config) batches(f *File, complete bool) (next func() ([]trace.Event, trace.Answer, error), stop func(), err error) {
	if f.Format != STD {
		one := make([]trace.Event, 1)
		return func() ([]trace.Event, trace.Answer, error) {
			answer, err := f.Next(&one[0])
			return one, answer, err
		}, func() {}, nil
	}
	if complete && !f.once {
		if err := f.std.Survey(io.NewSectionReader(f.file, 0, f.Size), f.Size, c.Stop); err != nil {
			return nil, nil, err
		}
	}
	a := trace.ReadAhead(f.Source)
	return a.Batch, a.Stop, nil
}
