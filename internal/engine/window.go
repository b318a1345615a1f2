package engine

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

const chunkEvents = 1 << 14

// window keeps the last events of the run in chunks, so that it grows without copying.
type window struct {
	limit  int
	arena  predict.Arena
	chunks []*chunk
	first  trace.Seq // the first event of chunks[0]; a multiple of chunkEvents
	n      trace.Seq // events so far

	// Where the newest chunk has a shape or a goroutine, if anywhere, plus 1. What lies at the same place pushes the other out, and is
	// then twice in the chunk.
	shapes [shapePlaces]uint16
	gs     [gPlaces]uint16
}

const (
	shapePlaces = 1 << 12
	gPlaces     = 1 << 8
)

// chunk has events, each in four parts of twelve bytes together: events repeat each other in nearly everything but address and stack.
type chunk struct {
	*columns
	shapes []shape
	gs     []trace.G
}

type columns struct {
	low   [chunkEvents]uint32 // of the address, or Other
	stack [chunkEvents]trace.Stack
	shape [chunkEvents]uint16 // index into shapes
	g     [chunkEvents]uint16 // index into gs
}

// shape is an event without its goroutine, its stack and the lower half of its address.
type shape struct {
	trace.Event
	depth uint8 // how many sections the goroutine is in after an Acquire, Release, RAcquire or RRelease, 255 for more
	other bool  // there is no address, and Other is in its place: all Forks have one shape
}

// eventBytes is about what an event takes in a chunk, with its part of the shapes.
const (
	eventBytes = 13
	shapeBytes = 48
)

func (w *window) bytes() int {
	n := 0
	for _, c := range w.chunks {
		n += 12*chunkEvents + shapeBytes*cap(c.shapes) + 4*cap(c.gs)
	}
	return n
}

// next is the next event's place in the run.
func (w *window) next() trace.Seq { return w.n }

// add takes in the next event. Depth is asked of those that enter or leave sections.
func (w *window) add(ev *trace.Event, depth int) {
	i := w.n % chunkEvents
	if i == 0 {
		w.turn()
	}
	c := w.chunks[len(w.chunks)-1]

	// The goroutine.
	at := &w.gs[ev.G%gPlaces]
	if *at == 0 || c.gs[*at-1] != ev.G {
		c.gs = append(c.gs, ev.G)
		*at = uint16(len(c.gs))
	}
	c.g[i] = *at - 1

	// The shape.
	low, other := uint32(ev.Addr), ev.Other
	inPlace := ev.Addr == 0 && other != 0
	if inPlace {
		low, other = other, 0
	}
	high, d := ev.Addr>>32<<32, uint8(min(depth, 255))
	h := uint64(ev.Site)<<32 ^ uint64(high) ^ uint64(ev.Size)<<44 ^ uint64(ev.Kind)<<3 ^ uint64(d)<<14 ^ uint64(ev.Flags) ^ uint64(other)<<25
	at = &w.shapes[h*0x9E3779B97F4A7C15>>52]
	if *at == 0 || !c.shapes[*at-1].is(ev, high, other, d, inPlace) {
		s := shape{*ev, d, inPlace}
		s.G, s.Stack, s.Addr, s.Other = 0, 0, high, other
		c.shapes = append(c.shapes, s)
		*at = uint16(len(c.shapes))
	}
	c.shape[i] = *at - 1
	c.low[i], c.stack[i] = low, ev.Stack
	w.n++
}

// passed is the shape of an event that is not kept.
const passed = ^uint16(0)

// pass counts an event that at need not give back: it gives back a zero one.
func (w *window) pass() {
	i := w.n % chunkEvents
	if i == 0 {
		w.turn()
	}
	w.chunks[len(w.chunks)-1].shape[i] = passed
	w.n++
}

// is reports whether s is ev's shape, with that upper half of the address and that Other.
func (s *shape) is(ev *trace.Event, high trace.Addr, other uint32, depth uint8, inPlace bool) bool {
	return s.Site == ev.Site && s.Addr == high && s.Kind == ev.Kind && s.Flags == ev.Flags && s.Size == ev.Size && s.Other == other &&
		s.depth == depth && s.other == inPlace
}

// turn makes room for a chunk of events.
func (w *window) turn() {
	w.shapes, w.gs = [shapePlaces]uint16{}, [gPlaces]uint16{}
	k := len(w.chunks)
	if k == 0 || (k+1)*chunkEvents <= w.limit {
		w.chunks = append(w.chunks, &chunk{columns: predict.Make[columns](w.arena)})
		return
	}
	old := w.chunks[0] // the oldest chunk becomes the newest
	copy(w.chunks, w.chunks[1:])
	w.chunks[k-1] = old
	old.shapes, old.gs = old.shapes[:0], old.gs[:0]
	w.first += chunkEvents
}

// at is the event at seq and its depth; seq is in the window.
func (w *window) at(seq trace.Seq) (ev trace.Event, depth int) {
	c := w.chunks[(seq-w.first)/chunkEvents]
	i := seq % chunkEvents
	if c.shape[i] == passed {
		return trace.Event{}, 0
	}
	s := &c.shapes[c.shape[i]]
	ev = s.Event
	ev.G, ev.Stack = c.gs[c.g[i]], c.stack[i]
	if s.other {
		ev.Other = c.low[i]
	} else {
		ev.Addr |= trace.Addr(c.low[i])
	}
	return ev, int(s.depth)
}

// copy returns the events from seq lo to before hi.
func (w *window) copy(lo, hi trace.Seq) []trace.Event {
	evs := make([]trace.Event, hi-lo)
	for i := range evs {
		evs[i], _ = w.at(lo + trace.Seq(i))
	}
	return evs
}
