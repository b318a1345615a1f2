package engine

import (
	"math/bits"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

const chunkEvents = 1 << 14

// window keeps the last events of the run in chunks, so that it grows without copying.
type window struct {
	limit  int
	arena  predict.Arena
	chunks []*chunk
	newest *chunk    // the last of chunks
	first  trace.Seq // the first event of chunks[0]; a multiple of chunkEvents
	n      trace.Seq // how many events the run has so far

	// Hash tables of the newest chunk. An entry is the index of a shape or a goroutine in it, plus 1. It overwrites one with the same hash, which then
	// gets another index when it comes again.
	shapes [shapePlaces]uint16
	gs     [gPlaces]uint16
}

const (
	shapeBits   = 12
	shapePlaces = 1 << shapeBits
	gPlaces     = 1 << 8
)

// chunk has events, each in four parts of twelve bytes together, since events mostly differ only in
// address and stack.
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

// shape is an event without its goroutine, its stack and the lower half of its address, in two
// words, which are fast to compare.
type shape struct {
	what  uint64 // Kind, Flags, depth, inPlace, and from bit 32 on Size
	where uint64 // Site, and from bit 32 on the upper half of the address
	other uint32
}

const (
	flagsShift = 8
	depthShift = 16      // how many sections the goroutine is in after an Acquire, Release, RAcquire or RRelease, 255 for more
	inPlace    = 1 << 24 // the event has no address, and low has Other: so all Forks have one shape
)

// eventBytes is about how many bytes an event takes in a chunk, with its part of the shapes.
const (
	eventBytes = 13
	shapeBytes = 24
)

func (w *window) bytes() int {
	n := 0
	for _, c := range w.chunks {
		n += 12*chunkEvents + shapeBytes*cap(c.shapes) + 4*cap(c.gs)
	}
	return n
}

// heap is how much of that is on the Go heap.
func (w *window) heap() int { return w.bytes() - 12*chunkEvents*len(w.chunks) }

// next is the next event's place in the run.
func (w *window) next() trace.Seq { return w.n }

// add takes in the next event. depth is how many sections its goroutine is in after it, if it
// enters or leaves one.
func (w *window) add(ev *trace.Event, depth int) {
	i := w.n % chunkEvents
	if i == 0 {
		w.turn()
	}
	c := w.newest

	at := &w.gs[ev.G%gPlaces]
	if *at == 0 || c.gs[*at-1] != ev.G {
		c.gs = append(c.gs, ev.G)
		*at = uint16(len(c.gs))
	}
	c.g[i] = *at - 1

	s := shape{
		what:  uint64(ev.Kind) | uint64(ev.Flags)<<flagsShift | uint64(ev.Size)<<32,
		where: uint64(ev.Site) | uint64(ev.Addr)>>32<<32,
		other: ev.Other,
	}
	low := uint32(ev.Addr)
	if depth > 0 {
		s.what |= uint64(min(depth, 255)) << depthShift
	}
	if ev.Addr == 0 && ev.Other != 0 {
		low, s.other = ev.Other, 0
		s.what |= inPlace
	}
	at = &w.shapes[(bits.RotateLeft64(s.what, 20)^s.where^uint64(s.other)<<25)*0x9E3779B97F4A7C15>>(64-shapeBits)]
	if *at == 0 || c.shapes[*at-1] != s {
		c.shapes = append(c.shapes, s)
		*at = uint16(len(c.shapes))
	}
	c.shape[i] = *at - 1
	c.low[i], c.stack[i] = low, ev.Stack
	w.n++
}

// full reports whether the next chunk takes the place of the oldest one.
func (w *window) full() bool { return len(w.chunks) > 0 && (len(w.chunks)+1)*chunkEvents > w.limit }

// turn begins a new chunk.
func (w *window) turn() {
	w.shapes, w.gs = [shapePlaces]uint16{}, [gPlaces]uint16{}
	k := len(w.chunks)
	if !w.full() {
		w.newest = &chunk{columns: predict.Make[columns](w.arena)}
		w.chunks = append(w.chunks, w.newest)
		return
	}
	old := w.chunks[0] // the oldest chunk becomes the newest
	copy(w.chunks, w.chunks[1:])
	w.chunks[k-1], w.newest = old, old
	old.shapes, old.gs = old.shapes[:0], old.gs[:0]
	w.first += chunkEvents
}

// at is the event at seq and its depth; seq is in the window.
func (w *window) at(seq trace.Seq) (ev trace.Event, depth int) {
	c := w.chunks[(seq-w.first)/chunkEvents]
	i := seq % chunkEvents
	s := &c.shapes[c.shape[i]]
	ev = trace.Event{
		Kind: trace.Kind(s.what), Flags: trace.Flags(s.what >> flagsShift), Size: uint32(s.what >> 32),
		G: c.gs[c.g[i]], Addr: trace.Addr(s.where>>32<<32 | uint64(c.low[i])), Site: trace.Site(s.where), Stack: c.stack[i], Other: s.other,
	}
	if s.what&inPlace != 0 {
		ev.Addr, ev.Other = 0, c.low[i]
	}
	return ev, int(uint8(s.what >> depthShift))
}

// from numbers the events from seq on. What it returns is valid until its next call.
func (w *window) from(seq trace.Seq) func(i int) *trace.Event {
	var ev trace.Event
	return func(i int) *trace.Event {
		ev, _ = w.at(seq + trace.Seq(i))
		return &ev
	}
}

// by reports whether the event at seq, which is in the window, is of goroutine g: that is less work
// than to take the event out.
func (w *window) by(seq trace.Seq, g trace.G) bool {
	c := w.chunks[(seq-w.first)/chunkEvents]
	return c.gs[c.g[seq%chunkEvents]] == g
}

// closing calls f for the events from lo up to, but without, hi that end sections, until it returns
// false. Both are in the window, or hi is its end.
func (w *window) closing(lo, hi trace.Seq, f func(trace.Seq, *trace.Event) bool) {
	for lo < hi {
		c := w.chunks[(lo-w.first)/chunkEvents]
		closes := make([]bool, len(c.shapes))
		for i := range c.shapes {
			closes[i] = trace.Kind(c.shapes[i].what).Spec().Closes
		}
		end := min(hi, lo-lo%chunkEvents+chunkEvents)
		for ; lo < end; lo++ {
			if !closes[c.shape[lo%chunkEvents]] {
				continue
			}
			ev, _ := w.at(lo)
			if !f(lo, &ev) {
				return
			}
		}
	}
}

// copy returns the events from lo up to, but without, hi.
func (w *window) copy(lo, hi trace.Seq) []trace.Event {
	evs := make([]trace.Event, hi-lo)
	for i := range evs {
		evs[i], _ = w.at(lo + trace.Seq(i))
	}
	return evs
}
