package offline

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/validate"
)

// Validate reads a file to its end and gives every problem to found, with its place in the file.
// The error is about the file's format: what follows it cannot be read.
func Validate(f *File, found func(place string, p validate.Problem)) (events uint64, last trace.Answer, err error) {
	c := validate.New(f.known(), func(p validate.Problem) { found(f.Place(p.Seq), p) })
	var ev trace.Event
	for {
		switch last, err = f.Next(&ev); {
		case err != nil || last == trace.Ended || last == trace.Truncated:
			return events, last, err
		case last == trace.DeferredGoals:
			return events, last, errDeferred(f)
		case last == trace.Next:
			events++
			c.Event(&ev)
		}
	}
}

// known are the references that the file's tables have; formats without tables accept all.
func (f *File) known() validate.Known {
	t := f.Tables()
	if f.Format != Binary || t.Value(KeySource) != "" {
		return validate.Known{}
	}
	return validate.Known{
		Stack: func(s trace.Stack) bool { _, ok := t.Stacks[s]; return ok },
		Site: func(s trace.Site) bool {
			for i := range t.Sites {
				if b := t.Sites[i].Base; s >= b && uint64(s-b) < uint64(t.Sites[i].N) {
					return true
				}
			}
			return false
		},
		Test: func(n uint32) bool { _, ok := t.Tests[n]; return ok },
	}
}

// checkRun returns the first problem of events that is not a remark, as an error.
func checkRun(name string, events []trace.Event) error {
	var first error
	c := validate.New(validate.Known{}, func(p validate.Problem) {
		if first == nil && !p.Remark {
			first = fmt.Errorf("trace: %s: event %d: %s", name, p.Seq, p.Text)
		}
	})
	for i := range events {
		c.Event(&events[i])
	}
	return first
}
