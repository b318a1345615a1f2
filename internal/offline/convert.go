package offline

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/std"
	"github.com/racepred/racepred/internal/trace/tracefile"
)

// Convert writes the rest of a file in another format. Tables and marks survive only from Binary to
// Binary. A truncated file has no totals, so its copy has none either. truncated reports whether
// the file broke off.
func Convert(w io.Writer, f *File, to Format) (truncated bool, err error) {
	switch to {
	case Binary:
		return convertBinary(w, f)
	case Text:
		out := bufio.NewWriter(w)
		var ev trace.Event
		for {
			answer, err := f.Next(&ev)
			switch {
			case err != nil:
				return false, err
			case answer == trace.DeferredGoals:
				return false, errDeferred(f)
			case answer == trace.Next:
				fmt.Fprintln(out, ev)
			case answer != trace.Flushed:
				return answer == trace.Truncated, out.Flush()
			}
		}
	}
	events, last, err := trace.ReadAll(f)
	if errors.Is(err, trace.ErrDeferred) {
		err = errDeferred(f)
	}
	if err != nil {
		return false, err
	}
	if err := checkRun(f.Name, events); err != nil { // other tools would report nonsense without noticing
		return false, err
	}
	if err := std.Export(w, events); err != nil {
		return false, fmt.Errorf("%s: %w", f.Name, err)
	}
	return last == trace.Truncated, nil
}

func errDeferred(f *File) error { return fmt.Errorf("trace: %s: %w", f.Name, trace.ErrDeferred) }

func convertBinary(w io.Writer, f *File) (truncated bool, err error) {
	c := copier{tables: f.Tables(), tests: map[uint32]bool{}}
	meta := c.tables.Meta
	if f.Format != Binary {
		meta = []tracefile.Pair{{Key: KeySource, Value: filepath.Base(f.Name)}}
	}
	c.out = tracefile.NewWriter(w, meta)
	var ev trace.Event
	for {
		answer, err := f.Next(&ev)
		if err != nil {
			return false, err
		}
		switch answer {
		case trace.Next:
			c.event(&ev)
		case trace.Flushed:
			c.sites()
			c.out.Flushed()
		case trace.DeferredGoals:
			return false, errDeferred(f)
		default:
			c.sites()
			s := tracefile.Summary{}
			if old := f.Summary(); old != nil {
				s = *old
			} else if answer == trace.Truncated {
				s.Notes = append(s.Notes, fmt.Sprintf("%s broke off after %d events", filepath.Base(f.Name), c.n))
			}
			return answer == trace.Truncated, c.out.Close(s)
		}
		if c.out.Full() {
			if err := c.out.Flush(); err != nil {
				return false, err
			}
		}
	}
}

// copier writes a binary file from another, each table entry before the first event after it.
type copier struct {
	tables    *tracefile.Tables
	out       *tracefile.Writer
	n         uint64
	siteFiles int
	tests     map[uint32]bool
}

func (c *copier) event(ev *trace.Event) {
	c.n++
	c.sites()
	if frames, ok := c.tables.Stacks[ev.Stack]; ok {
		c.out.Stack(ev.Stack, frames)
	}
	if name, ok := c.tables.Tests[ev.Other]; ok && ev.Kind.Spec().Operand == trace.OnTest && !c.tests[ev.Other] {
		c.tests[ev.Other] = true
		c.out.Test(ev.Other, name)
	}
	c.out.Event(ev)
}

func (c *copier) sites() {
	for ; c.siteFiles < len(c.tables.Sites); c.siteFiles++ {
		c.out.Sites(c.tables.Sites[c.siteFiles])
	}
}
