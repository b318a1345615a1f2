package engine

import "github.com/racepred/racepred/internal/trace"

const chunkEvents = 1 << 14

// window keeps the last events of the run in chunks, so that it grows without copying.
type window struct {
	limit  int
	chunks []*chunk
	first  trace.Seq // the first event of chunks[0]; a multiple of chunkEvents
	n      trace.Seq // events so far
}

// chunk has events and how many sections each event's goroutine was in after it, 255 for more.
type chunk struct {
	evs   [chunkEvents]trace.Event
	depth [chunkEvents]uint8
}

// eventBytes is what an event takes in a chunk.
const eventBytes = 33

func (w *window) bytes() int { return len(w.chunks) * chunkEvents * eventBytes }

// next is the next event's place in the run.
func (w *window) next() trace.Seq { return w.n }

func (w *window) add(ev *trace.Event, depth int) {
	k := int(w.n-w.first) / chunkEvents
	if k == len(w.chunks) {
		if k > 0 && (k+1)*chunkEvents > w.limit { // the oldest chunk becomes the newest
			old := w.chunks[0]
			copy(w.chunks, w.chunks[1:])
			k--
			w.chunks[k] = old
			w.first += chunkEvents
		} else {
			w.chunks = append(w.chunks, new(chunk))
		}
	}
	i := w.n % chunkEvents
	w.chunks[k].evs[i] = *ev
	w.chunks[k].depth[i] = uint8(min(depth, 255))
	w.n++
}

// at is the event at seq and its depth; seq is in the window.
func (w *window) at(seq trace.Seq) (*trace.Event, int) {
	c := w.chunks[(seq-w.first)/chunkEvents]
	return &c.evs[seq%chunkEvents], int(c.depth[seq%chunkEvents])
}

// copy returns the events from seq lo to before hi.
func (w *window) copy(lo, hi trace.Seq) []trace.Event {
	evs := make([]trace.Event, 0, hi-lo)
	for lo < hi {
		c := w.chunks[(lo-w.first)/chunkEvents]
		i := lo % chunkEvents
		n := min(chunkEvents-i, hi-lo)
		evs = append(evs, c.evs[i:i+n]...)
		lo += n
	}
	return evs
}
