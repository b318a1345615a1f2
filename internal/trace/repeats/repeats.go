// Package repeats is the recorder's filter as a function of a trace: a trace -> the same trace
// without accesses that a goroutine repeats within one span.
//
// The recorder's notes have a bounded size, so it leaves out less than this package does
// (rt/runtimehooks/filter.go). Here the filter can be tested by itself. The rules:
//
//	(F1) a span of a goroutine lasts from one of its events that is neither a plain access nor
//	     Opaque nor Alloc, and orders something, to the next;
//	(F2) a read is left out if the span read or wrote all of its bytes before, a write if the span
//	     wrote all of them; an unseen write counts as neither, and is left out if the span wrote all
//	     of its bytes, or one of its unseen writes did;
//	(F3) an Alloc, by any goroutine, clears all notes about its bytes;
//	(F4) no append to a list is left out, nor another access because of one.
package repeats

import "github.com/racepred/racepred/internal/trace"

// Filter finds repeats, event by event. The zero Filter is ready.
type Filter struct {
	spans map[trace.G]uint64
	bytes map[trace.Addr]map[trace.G]touched
}

// touched says how a goroutine's span accessed a byte.
type touched struct {
	span               uint64
	read, wrote, added bool
}

// Keep reports whether the trace's next event stays.
func (f *Filter) Keep(ev *trace.Event) bool {
	if f.spans == nil {
		f.spans, f.bytes = make(map[trace.G]uint64), make(map[trace.Addr]map[trace.G]touched)
	}
	switch {
	case ev.Kind.Spec().Access && ev.Flags&trace.FlagAppend != 0: // (F4)
	case ev.Kind == trace.Alloc: // (F3)
		for i := range ev.Size {
			delete(f.bytes, ev.Addr+trace.Addr(i))
		}
	case ev.Kind == trace.Opaque || ev.Kind.Spec().Note:
	case ev.Kind.Spec().Access && ev.Flags&trace.FlagAtomic == 0:
		return f.touch(ev)
	default: // (F1)
		f.spans[ev.G]++
	}
	return true
}

// touch is (F2).
func (f *Filter) touch(ev *trace.Event) (fresh bool) {
	span := f.spans[ev.G]
	for i := range ev.Size {
		at := ev.Addr + trace.Addr(i)
		gs := f.bytes[at]
		if gs == nil {
			gs = make(map[trace.G]touched)
			f.bytes[at] = gs
		}
		t := gs[ev.G]
		if t.span != span {
			t = touched{span: span}
		}
		switch {
		case ev.Unseen():
			fresh = fresh || !t.wrote && !t.added
			t.added = true
		case ev.Kind == trace.Write:
			fresh = fresh || !t.wrote
			t.wrote = true
		default:
			fresh = fresh || !t.read && !t.wrote
			t.read = true
		}
		gs[ev.G] = t
	}
	return fresh
}

// Drop returns evs without the repeats.
func Drop(evs []trace.Event) []trace.Event {
	var f Filter
	var out []trace.Event
	for i := range evs {
		if f.Keep(&evs[i]) {
			out = append(out, evs[i])
		}
	}
	return out
}
