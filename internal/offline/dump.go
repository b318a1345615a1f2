package offline

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/tracefile"
)

// Dump writes the events from number from on and before number to (0: all) in the text form.
// Comments have their numbers, their positions, and each entry of the tables before the first event
// that refers to it.
func Dump(w io.Writer, f *File, from, to uint64) error {
	d := dumper{out: bufio.NewWriter(w), f: f, symbols: f.Symbols(), stacks: map[trace.Stack]bool{}, tests: map[uint32]bool{}}
	var ev trace.Event
	d.meta()
	for n := uint64(0); ; {
		answer, err := f.Next(&ev)
		if err != nil {
			d.out.Flush()
			return err
		}
		switch answer {
		case trace.Next:
			if n >= from && (to == 0 || n < to) {
				d.event(n, &ev)
			}
			n++
			if to > 0 && n >= to {
				return d.out.Flush()
			}
		case trace.Flushed:
			if n >= from {
				d.comment("flushed")
			}
		case trace.DeferredGoals:
			d.deferred()
		case trace.Truncated:
			d.comment("breaks off here, after %d events", n)
			return d.out.Flush()
		default:
			d.comment("ends here, after %d events", n)
			return d.out.Flush()
		}
	}
}

type dumper struct {
	out     *bufio.Writer
	f       *File
	symbols *symbolize.Symbols
	stacks  map[trace.Stack]bool // printed
	tests   map[uint32]bool
}

func (d *dumper) comment(format string, args ...any) {
	fmt.Fprintf(d.out, "// "+format+"\n", args...)
}

func (d *dumper) meta() {
	d.comment("%s", filepath.Base(d.f.Name))
	for _, p := range d.f.Tables().Meta {
		d.comment("%s: %s", p.Key, p.Value)
	}
}

func (d *dumper) deferred() {
	s, events := d.f.binary.Deferred()
	d.comment("%d events with %d goals whose search was deferred:", events, len(s.Goals))
	for _, g := range s.Goals {
		d.comment("    a %v of its events %s, by %s", g.Kind, places(g.Events), strings.Join(g.By, ", "))
	}
}

// places writes numbers as in a sentence: 1, 2 and 3.
func places(list []int32) string {
	text := ""
	for n, i := range list {
		switch {
		case n > 0 && n == len(list)-1:
			text += " and "
		case n > 0:
			text += ", "
		}
		text += strconv.Itoa(int(i))
	}
	return text
}

func (d *dumper) event(n uint64, ev *trace.Event) {
	t := d.f.Tables()
	if frames := t.Stacks[ev.Stack]; len(frames) > 0 && !d.stacks[ev.Stack] {
		d.stacks[ev.Stack] = true
		d.comment("stack %d:", ev.Stack)
		for _, f := range frames {
			d.comment("    %s %s:%d", symbol.Readable(f.Func), f.File, f.Line)
		}
	}
	if ev.Kind.Spec().Operand == trace.OnTest && !d.tests[ev.Other] {
		d.tests[ev.Other] = true
		if name, ok := t.Tests[ev.Other]; ok {
			d.comment("test %d: %s", ev.Other, name)
		}
	}
	fmt.Fprintf(d.out, "%v // %d%s\n", *ev, n, d.place(t, ev))
}

// place is the event's position, if there is a table to look it up in.
func (d *dumper) place(t *tracefile.Tables, ev *trace.Event) string {
	if ev.Site == 0 || len(t.Sites) == 0 {
		return ""
	}
	s, ok := d.symbols.Site(ev.Site)
	if !ok {
		return ""
	}
	return " " + filepath.Base(s.File) + ":" + strconv.Itoa(s.Line) + ":" + strconv.Itoa(s.Column) + " " + s.Expr
}
