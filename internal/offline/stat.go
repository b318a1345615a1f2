package offline

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/racepred/racepred/internal/trace"
)

// Stat is what a trace consists of.
type Stat struct {
	Events, Flushed uint64
	Deferred        int // goals whose search was deferred
	Kinds           [len(trace.Specs)]uint64
	Goroutines      int
	Locks, Objects  int
	Last            trace.Answer // Ended or Truncated
}

// Count reads a file to its end.
func Count(f *File) (*Stat, error) {
	s := &Stat{}
	gs, locks, objects := map[trace.G]bool{}, map[trace.Addr]bool{}, map[trace.Addr]bool{}
	var ev trace.Event
	for {
		answer, err := f.Next(&ev)
		switch {
		case err != nil:
			return nil, err
		case answer == trace.Flushed:
			s.Flushed++
			continue
		case answer == trace.DeferredGoals:
			deferred, _ := f.binary.Deferred()
			s.Deferred += len(deferred.Goals)
			continue
		case answer != trace.Next:
			s.Last = answer
			s.Goroutines, s.Locks, s.Objects = len(gs), len(locks), len(objects)
			return s, nil
		}
		s.Events++
		s.Kinds[ev.Kind]++
		gs[ev.G] = true
		switch ev.Kind.Spec().Operand {
		case trace.OnLock:
			locks[ev.Addr] = true
		case trace.OnObject:
			objects[ev.Addr] = true
		}
	}
}

// Print writes the figures of a file that was read to its end.
func (s *Stat) Print(w io.Writer, f *File) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "%s\n", f.Name)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "  %s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("format", "%s", f.Format)
	for _, p := range f.Tables().Meta {
		if p.Value != "" {
			row(p.Key, "%s", p.Value)
		}
	}
	end := "complete"
	if s.Last == trace.Truncated {
		end = "breaks off: the process was killed, or crashed"
	}
	row("end", "%s", end)
	row("events", "%d", s.Events)
	if s.Events > 0 && f.Size > 0 {
		row("size", "%d bytes, %.2f per event", f.Size, float64(f.Size)/float64(s.Events))
	}
	if s.Deferred > 0 {
		row("deferred goals", "%d", s.Deferred)
	}
	row("goroutines", "%d", s.Goroutines)
	row("locks", "%d", s.Locks)
	row("synchronization objects", "%d", s.Objects)
	if f.binary != nil {
		row("blocks", "%d", f.binary.Blocks())
		row("stacks", "%d", len(f.Tables().Stacks))
		row("files with sites", "%d", len(f.Tables().Sites))
		row("tests", "%d", len(f.Tables().Tests))
	}
	for k, n := range s.Kinds {
		if n > 0 {
			row(trace.Kind(k).String(), "%d", n)
		}
	}
	return t.Flush()
}
