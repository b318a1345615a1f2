package tracefile

import (
	"errors"
	"fmt"
	"io"

	"github.com/racepred/racepred/internal/trace"
)

// Reader reads a file. It is a trace.Source.
type Reader struct {
	r      io.Reader
	name   string
	tables Tables
	code   coder

	offset  int64  // of the next block
	blocks  uint32 // read so far
	kind    block  // of the block at hand
	buf     []byte
	in      input  // the events of the block at hand
	left    uint64 // that many
	read    uint64 // events read so far
	answer  trace.Answer
	summary *Summary
	err     error

	deferred    *trace.Deferred
	deferredLen uint64 // events

	stringTable []string
	frameTable  []Frame
}

// NewReader reads the header and the meta block, as far as they are there. Errors call the file by
// name.
func NewReader(r io.Reader, name string) (*Reader, error) {
	d := &Reader{r: r, name: name}
	d.tables.Stacks = make(map[trace.Stack][]Frame)
	d.tables.Tests = make(map[uint32]string)
	head := make([]byte, len(Magic)+1)
	n, err := io.ReadFull(r, head)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("trace: %s: %w", name, err)
	case string(head[:min(n, len(Magic))]) != Magic[:min(n, len(Magic))] || n == 0:
		return nil, fmt.Errorf("trace: %s: no trace file: it begins with %q, want %q", name, head[:n], Magic)
	case n < len(head):
		return nil, fmt.Errorf("trace: %s: it ends within the header, after %d bytes", name, n)
	case head[len(Magic)] < oldest || head[len(Magic)] > Version:
		return nil, fmt.Errorf("trace: %s: format version %d; this racepred reads versions %d to %d", name, head[len(Magic)], oldest, Version)
	}
	switch version := head[len(Magic)]; {
	case version < 6:
		d.code.kinds = int(trace.UnitBegin)
	case version < 7:
		d.code.kinds = int(trace.MissedRead)
	default:
		d.code.kinds = len(trace.Specs)
	}
	d.offset = int64(len(head))
	d.answer = trace.Next
	d.block()
	return d, d.err
}

// Tables are those of the blocks read so far.
func (d *Reader) Tables() *Tables { return &d.tables }

// Events is how many events were given out.
func (d *Reader) Events() uint64 { return d.read - d.left }

// Blocks is how many blocks were read.
func (d *Reader) Blocks() int { return int(d.blocks) }

// Summary is the content of the last block; nil if it was not read yet, or is missing.
func (d *Reader) Summary() *Summary { return d.summary }

// Next reads the next event into ev, or says why there is none.
func (d *Reader) Next(ev *trace.Event) (trace.Answer, error) {
	for {
		switch {
		case d.err != nil:
			return trace.Truncated, d.err
		case d.left > 0:
			d.left--
			at := d.in.at
			err := d.code.read(&d.in, ev)
			if err == nil && d.left == 0 && d.in.more() {
				err = fmt.Errorf("%d bytes after its last event", len(d.in.b)-d.in.at)
			}
			if err != nil {
				d.left++
				d.fail(at, fmt.Errorf("event %d: %w", d.Events(), err))
				continue
			}
			return trace.Next, nil
		case d.answer == trace.Flushed || d.answer == trace.DeferredGoals:
			a := d.answer
			d.answer = trace.Next
			return a, nil
		case d.answer != trace.Next:
			return d.answer, nil
		}
		d.block()
	}
}

// fail is an error at a place of the content of the block at hand.
func (d *Reader) fail(at int, err error) {
	d.err = fmt.Errorf("trace: %s: block %d (%s) at offset %d, byte %d of its content: %w",
		d.name, d.blocks-1, d.kind, d.offset-int64(headLen+len(d.buf)+tailLen), at, err)
}

// block reads a block. The file may end before it or within it: then it is truncated, unless the
// last block said that it was the last.
func (d *Reader) block() {
	var head [headLen]byte
	n, err := io.ReadFull(d.r, head[:])
	corrupt := func(format string, args ...any) {
		d.err = fmt.Errorf("trace: %s: block %d at offset %d: %s", d.name, d.blocks, d.offset, fmt.Sprintf(format, args...))
	}
	ends := func(err error) bool {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			d.answer = trace.Truncated
		} else if err != nil {
			d.err = fmt.Errorf("trace: %s: %w", d.name, err)
		}
		return err != nil
	}
	if d.summary != nil {
		if n > 0 {
			corrupt("more after the end block")
		} else if ends(err); d.err == nil {
			d.answer = trace.Ended
		}
		return
	}
	if ends(err) {
		return
	}
	if got, want := get32(head[8:]), checksum(head[:8]); got != want {
		corrupt("checksum of its head is %08x, want %08x", got, want)
		return
	}
	d.kind = block(head[0])
	if number := get32(head[:]) >> 8; number != d.blocks&(1<<24-1) {
		corrupt("it says that it is block %d", number)
		return
	}
	size := get32(head[4:])
	if size > maxContent {
		corrupt("%d bytes of content, want at most %d", size, maxContent)
		return
	}
	if ends(d.content(int(size))) {
		return
	}
	var tail [tailLen]byte
	if _, err := io.ReadFull(d.r, tail[:]); ends(err) {
		return
	}
	if got, want := get32(tail[:]), checksum(d.buf); got != want {
		corrupt("checksum of its content (%s) is %08x, want %08x", d.kind, got, want)
		return
	}
	if d.kind == noBlock || int(d.kind) >= len(blockSpecs) {
		corrupt("unknown kind %d, want 1 to %d", d.kind, len(blockSpecs)-1)
		return
	}
	if d.blocks == 0 != (d.kind == blockMeta) {
		corrupt("it holds %s; a file has one meta block, which is the first", d.kind)
		return
	}
	d.offset += int64(headLen) + int64(size) + tailLen
	d.blocks++
	in := input{b: d.buf}
	if err := blockSpecs[d.kind].read(d, &in); err != nil || in.err != nil {
		if err == nil {
			err = in.err
		}
		d.fail(in.at, err)
	}
}

// content reads size bytes into buf, which grows with the bytes that the file really has.
func (d *Reader) content(size int) error {
	d.buf = d.buf[:0]
	for len(d.buf) < size {
		n := min(size-len(d.buf), 1<<20)
		at := len(d.buf)
		d.buf = append(d.buf, make([]byte, n)...)
		if _, err := io.ReadFull(d.r, d.buf[at:]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Reader) meta(in *input) error {
	for in.more() {
		d.tables.Meta = append(d.tables.Meta, Pair{in.string(), in.string()})
	}
	return nil
}

func (d *Reader) strings(in *input) error {
	for in.more() {
		d.stringTable = append(d.stringTable, in.string())
	}
	return nil
}

// str reads the number of a string.
func (d *Reader) str(in *input) string {
	n := in.uint()
	if in.err != nil {
		return ""
	}
	if n >= uint64(len(d.stringTable)) {
		in.fail(fmt.Errorf("string %d, want one below %d", n, len(d.stringTable)))
		return ""
	}
	return d.stringTable[n]
}

func (d *Reader) frames(in *input) error {
	for in.more() {
		d.frameTable = append(d.frameTable, Frame{d.str(in), d.str(in), int(in.uint32("a line"))})
	}
	return nil
}

func (d *Reader) stacks(in *input) error {
	for in.more() {
		id := trace.Stack(in.uint32("a stack"))
		frames := make([]Frame, in.count("frames"))
		for i := range frames {
			n := in.uint()
			if in.err == nil && n >= uint64(len(d.frameTable)) {
				return fmt.Errorf("frame %d, want one below %d", n, len(d.frameTable))
			}
			if in.err != nil {
				return nil
			}
			frames[i] = d.frameTable[n]
		}
		if _, twice := d.tables.Stacks[id]; in.err == nil && (twice || id == 0) {
			return fmt.Errorf("stack %d, which is known already", id)
		}
		d.tables.Stacks[id] = frames
	}
	return nil
}

func (d *Reader) sites(in *input) error {
	for in.more() {
		t := SiteTable{
			File: d.str(in), Pkg: d.str(in), Base: trace.Site(in.uint32("a site")), N: int(in.uint32("a number of sites")), Table: in.string(),
		}
		if in.err == nil {
			d.tables.Sites = append(d.tables.Sites, t)
		}
	}
	return nil
}

func (d *Reader) tests(in *input) error {
	for in.more() {
		n := in.uint32("a test")
		d.tables.Tests[n] = d.str(in)
	}
	return nil
}

func (d *Reader) events(in *input) error {
	first := in.uint()
	if in.err == nil && first != d.read {
		return fmt.Errorf("it begins with event %d, want %d", first, d.read)
	}
	n := in.count("events")
	if in.err == nil && n == 0 {
		return errors.New("no event")
	}
	d.in, d.left = *in, uint64(n)
	d.read += uint64(n)
	return nil
}

func (d *Reader) flushed(in *input) error {
	if err := d.total(in); err != nil {
		return err
	}
	d.answer = trace.Flushed
	return d.nothingAfter(in)
}

func (d *Reader) end(in *input) error {
	if err := d.total(in); err != nil {
		return err
	}
	s := &Summary{Events: d.read, Filtered: in.uint()}
	for in.more() {
		s.Notes = append(s.Notes, in.string())
	}
	d.summary = s
	return nil
}

// total reads the number of events so far.
func (d *Reader) total(in *input) error {
	if n := in.uint(); in.err == nil && n != d.read {
		return fmt.Errorf("%d events come before it, want %d", d.read, n)
	}
	return nil
}

func (d *Reader) nothingAfter(in *input) error {
	if in.more() {
		return fmt.Errorf("%d bytes too many", len(in.b)-in.at)
	}
	return nil
}
