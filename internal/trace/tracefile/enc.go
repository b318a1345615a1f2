package tracefile

import (
	"io"
	"unsafe"

	"github.com/racepred/racepred/internal/trace"
)

// Writer writes a file. Events and table entries are kept until Flush, which is one call of the
// underlying Write. After an error nothing more is written.
type Writer struct {
	w       io.Writer
	err     error
	blocks  uint32
	written uint64 // events in blocks that were written
	mark    uint64 // events before the last mark
	code    coder
	out     []byte // blocks that are not written yet

	// The content of blocks to come.
	strings, frames, stacks, sites, tests, events []byte

	pending   uint64 // events in events
	stringIDs map[string]uint32
	frameIDs  map[[3]uint32]uint32
	same      map[sameFrame]uint32 // frames whose strings are in the same memory, which most are: to find a string takes much longer
	stackIDs  map[trace.Stack]bool
}

// sameFrame is a Frame by where its strings are. It keeps them there.
type sameFrame struct {
	fn, file       *byte
	fnLen, fileLen int
	line           int
}

// maxSame is how many frames a Writer knows by where their strings are.
const maxSame = 1 << 13

// NewWriter writes header and meta block.
func NewWriter(w io.Writer, meta []Pair) *Writer {
	e := &Writer{
		w:         w,
		stringIDs: make(map[string]uint32), frameIDs: make(map[[3]uint32]uint32), same: make(map[sameFrame]uint32), stackIDs: make(map[trace.Stack]bool),
	}
	e.out = append(append(e.out, Magic...), Version)
	var content []byte
	for _, p := range meta {
		content = appendString(appendString(content, p.Key), p.Value)
	}
	e.block(blockMeta, &content)
	return e
}

func appendString(b []byte, s string) []byte { return append(appendUint(b, uint64(len(s))), s...) }

// Event adds the trace's next event. Stacks, sites and tests that it refers to must have been added
// before (F2).
func (e *Writer) Event(ev *trace.Event) {
	if e.err != nil {
		return
	}
	if spec := ev.Kind.Spec(); ev.Kind == trace.None || spec == &trace.Specs[trace.None] || ev.G == 0 || ev.Flags&^knownFlags != 0 {
		panic("internal error: no event: " + ev.String())
	}
	e.events = e.code.append(e.events, ev)
	e.pending++
}

// Full reports whether there are enough events for a block: time for a Flush.
func (e *Writer) Full() bool { return len(e.events) >= blockEvery }

// HasStack reports whether a stack was added.
func (e *Writer) HasStack(id trace.Stack) bool { return id == 0 || e.stackIDs[id] }

// Stack adds a call stack, innermost frame first.
func (e *Writer) Stack(id trace.Stack, frames []Frame) {
	if e.HasStack(id) {
		return
	}
	e.stackIDs[id] = true
	ids := make([]uint32, len(frames))
	for i, f := range frames {
		ids[i] = e.frame(f)
	}
	e.stacks = appendUint(e.stacks, uint64(id))
	e.stacks = appendUint(e.stacks, uint64(len(ids)))
	for _, id := range ids {
		e.stacks = appendUint(e.stacks, uint64(id))
	}
}

func (e *Writer) frame(f Frame) uint32 {
	at := sameFrame{unsafe.StringData(f.Func), unsafe.StringData(f.File), len(f.Func), len(f.File), f.Line}
	id, ok := e.same[at]
	if !ok {
		id = e.frameID(f)
		if len(e.same) == maxSame {
			clear(e.same)
		}
		e.same[at] = id
	}
	return id
}

func (e *Writer) frameID(f Frame) uint32 {
	key := [3]uint32{e.string(f.Func), e.string(f.File), uint32(f.Line)}
	id, ok := e.frameIDs[key]
	if !ok {
		id = uint32(len(e.frameIDs))
		e.frameIDs[key] = id
		for _, n := range key {
			e.frames = appendUint(e.frames, uint64(n))
		}
	}
	return id
}

func (e *Writer) string(s string) uint32 {
	id, ok := e.stringIDs[s]
	if !ok {
		id = uint32(len(e.stringIDs))
		e.stringIDs[s] = id
		e.strings = appendString(e.strings, s)
	}
	return id
}

// Sites adds the site table of a file.
func (e *Writer) Sites(t SiteTable) {
	e.sites = appendUint(e.sites, uint64(e.string(t.File)))
	e.sites = appendUint(e.sites, uint64(e.string(t.Pkg)))
	e.sites = appendUint(e.sites, uint64(t.Base))
	e.sites = appendUint(e.sites, uint64(t.N))
	e.sites = appendString(e.sites, t.Table)
}

// Test adds the name of a test.
func (e *Writer) Test(n uint32, name string) {
	e.tests = appendUint(e.tests, uint64(n))
	e.tests = appendUint(e.tests, uint64(e.string(name)))
}

// Flushed marks that the recording engine decided here about all waiting goals. If there was no
// event since the last mark, there were none.
func (e *Writer) Flushed() {
	if e.written+e.pending == e.mark {
		return
	}
	e.fill()
	e.mark = e.written
	content := appendUint(nil, e.written)
	e.block(blockFlushed, &content)
}

// Flush writes the events and table entries that were kept.
func (e *Writer) Flush() error {
	e.fill()
	if e.err == nil && len(e.out) > 0 {
		_, e.err = e.w.Write(e.out)
	}
	e.out = e.out[:0]
	return e.err
}

// Close writes the last block. The underlying writer stays open.
func (e *Writer) Close(s Summary) error {
	e.fill()
	content := appendUint(nil, e.written)
	content = appendUint(content, s.Filtered)
	for _, n := range s.Notes {
		content = appendString(content, n)
	}
	e.block(blockEnd, &content)
	return e.Flush()
}

// fill makes blocks of the events and table entries that were kept, tables first (F2).
func (e *Writer) fill() {
	for _, t := range []struct {
		kind    block
		content *[]byte
	}{
		{blockStrings, &e.strings}, {blockFrames, &e.frames}, {blockStacks, &e.stacks}, {blockSites, &e.sites}, {blockTests, &e.tests},
	} {
		if len(*t.content) > 0 {
			e.block(t.kind, t.content)
		}
	}
	if e.pending > 0 {
		head := appendUint(appendUint(nil, e.written), e.pending)
		e.written += e.pending
		e.pending = 0
		e.events = append(e.events, head...) // moved to the front below
		copy(e.events[len(head):], e.events[:len(e.events)-len(head)])
		copy(e.events, head)
		e.block(blockEvents, &e.events)
	}
}

// block makes a block of content, and empties it.
func (e *Writer) block(kind block, content *[]byte) {
	e.out = appendBlock(e.out, kind, e.blocks, *content)
	e.blocks++
	*content = (*content)[:0]
}
