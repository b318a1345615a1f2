package offline

import (
	"io"

	"github.com/racepred/racepred/internal/trace"
)

// batches gives the rest of a file's events, many at a time where that is possible: they stay where they are until the next call, and there are none unless the answer is
// Next. Of STD, that has no tables, the rest is read ahead in a goroutine; Place is not to be called then. The function stop ends that.
//
// A text that has every access, and that can be read twice, is surveyed before.
func (c Config) batches(f *File, complete bool) (next func() ([]trace.Event, trace.Answer, error), stop func(), err error) {
	if f.Format != STD {
		one := make([]trace.Event, 1)
		return func() ([]trace.Event, trace.Answer, error) {
			answer, err := f.Next(&one[0])
			return one, answer, err
		}, func() {}, nil
	}
	if info, err := f.file.Stat(); err == nil && info.Mode().IsRegular() && complete {
		if err := f.std.Survey(io.NewSectionReader(f.file, 0, info.Size()), info.Size(), c.Stop); err != nil {
			return nil, nil, err
		}
	}
	a := trace.ReadAhead(f.Source)
	return a.Batch, a.Stop, nil
}
