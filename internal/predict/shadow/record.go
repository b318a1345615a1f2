package shadow

import (
	"math/bits"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/vclock"
)

// Record is one access that a later one may race with.
type Record struct {
	Seq  trace.Seq
	Ev   trace.Event
	Slot vclock.Slot
	Time vclock.Time
}

// record is an access in one word, or in all words of a page. It is packed, since nearly every
// access has one.
type record struct {
	time  [Orders]vclock.Time
	slot  [Orders]uint16
	masks masks
	is    traits
	seq   uint32 // the lower half of its place in the trace
	g     trace.G
	site  trace.Site
	stack trace.Stack // of a wide access, the number of its span
}

// RecordBytes is how many bytes a record of Accesses takes.
const RecordBytes = 36

// masks are the bytes of a record that no later access subsumes, 8 bits for each order. An order
// without bytes has dropped the record.
type masks uint16

// under are the masks with m for the order, and nothing for the others.
func (m Mask) under(o Order) masks { return masks(m) << (8 * o) }

// of is the part of one order.
func (m masks) of(o Order) Mask { return Mask(m >> (8 * o)) }

// traits are the kind and flags of an access and, unless it is wide, which bytes of its word it
// has; and 6 more bits of its place in the trace.
type traits uint16

const (
	isWrite traits = 1 << iota
	isHard
	isPlain // not atomic
	isUnseen

	flagsShift = 1 // where trace's flags are, the atomic one the other way round
	atShift    = 4 // the first byte in the word, 3 bits
	sizeShift  = 7 // the logarithm of the size, 2 bits
	isWide     = traits(1 << 9)
	seqShift   = 10
	seqBits    = 32 + 16 - seqShift
)

// traitsOf relies on these constants; if they are wrong, this does not compile.
var _ [0]struct{} = [trace.Kind(trace.Read>>1|trace.Write>>1^1) | trace.Kind(isHard)>>flagsShift ^ trace.Kind(trace.FlagHard) |
	trace.Kind(isPlain)>>flagsShift ^ trace.Kind(trace.FlagAtomic) | trace.Kind(isUnseen)>>flagsShift ^ trace.Kind(trace.FlagUnseen)]struct{}{}

// traitsOf are the traits of an access, without wide.
func traitsOf(ev *trace.Event) traits {
	return (traits(ev.Kind>>1) | traits(ev.Flags)<<flagsShift) ^ isPlain
}

// conflict is trace.Conflict for accesses of two goroutines with common bytes.
func conflict(a, b traits) bool { return (a|b)&(isWrite|isPlain) == isWrite|isPlain }

// subsumes reports whether all accesses that conflict with old conflict with is.
func (is traits) subsumes(old traits) bool { return old&^is&(isWrite|isPlain) == 0 }

// fits reports whether an access has some bytes of one word and needs no span.
func fits(ev *trace.Event) bool {
	return ev.Size&(ev.Size-1) == 0 && ev.Size-1 <= 7-uint32(ev.Addr)&7
}

// inPage reports whether an access is within one page and has not all of its words.
func inPage(ev *trace.Event) bool {
	return ev.Size-1 < 8*PageWords-1 && uint64(ev.Addr)%(8*PageWords)+uint64(ev.Size) <= 8*PageWords
}

// maskInWord is MaskOf for an access that fits.
func maskInWord(ev *trace.Event) Mask { return Mask((1<<(ev.Size&15) - 1) << (ev.Addr & 7)) }

// inWord is traitsOf for an access that fits.
func inWord(ev *trace.Event) traits {
	return traits(ev.Addr&7)<<atShift | traits(bits.TrailingZeros32(ev.Size))<<sizeShift
}

// span is what the records of a wide access, which has more than a word or an odd size, have in
// common.
type span struct {
	addr  trace.Addr
	size  uint32
	stack trace.Stack
	refs  uint32 // how many records it has
	next  uint32 // of a free span, the next free one
}

const (
	spanChunkBits = 8
	spanChunk     = 1 << spanChunkBits
)

// spans has the spans by their numbers, from 1.
type spans struct {
	chunks []*[spanChunk]span
	free   uint32
	next   uint32 // the first number that was never used
}

func (t *spans) at(n uint32) *span { return &t.chunks[n>>spanChunkBits][n%spanChunk] }

// add returns the number of a new span, with a count for one record and one for the caller.
func (t *spans) add(a predict.Arena, ev *trace.Event) uint32 {
	n := t.free
	if n != 0 {
		t.free = t.at(n).next
	} else {
		t.next++
		n = t.next
		for int(n>>spanChunkBits) >= len(t.chunks) {
			t.chunks = append(t.chunks, predict.Make[[spanChunk]span](a))
		}
	}
	*t.at(n) = span{addr: ev.Addr, size: ev.Size, stack: ev.Stack, refs: 2}
	return n
}

// drop drops one record of a span, and reports whether it was the last one.
func (t *spans) drop(n uint32) bool {
	s := t.at(n)
	if s.refs--; s.refs > 0 {
		return false
	}
	s.next = t.free
	t.free = n
	return true
}

// set sets all of an access that fits, except the orders' parts.
func (r *record) set(is traits, seq trace.Seq, ev *trace.Event) {
	r.is = is | traits(seq>>32)<<seqShift | inWord(ev)
	r.seq, r.g, r.site, r.stack = uint32(seq), ev.G, ev.Site, ev.Stack
}

// fill is set for an access that does not fit. *span is the number of its span, 0 before it has
// one.
func (t *Accesses) fill(r *record, is traits, seq trace.Seq, ev *trace.Event, span *uint32) {
	r.is = is | traits(seq>>32)<<seqShift | isWide
	r.seq, r.g, r.site = uint32(seq), ev.G, ev.Site
	if *span == 0 {
		*span = t.spans.add(t.Arena, ev)
		t.Extra++ // a span takes a little less than a record
	} else {
		t.spans.at(*span).refs++
	}
	r.stack = trace.Stack(*span)
}

// dropped is called before a record is dropped.
func (t *Accesses) dropped(r *record) {
	if r.is&isWide != 0 {
		t.dropSpan(uint32(r.stack))
	}
}

func (t *Accesses) dropSpan(n uint32) {
	if t.spans.drop(n) {
		t.Extra--
	}
}

// place is the place of the record's access in the trace.
func (t *Accesses) place(r *record) trace.Seq {
	return (t.segment-1)<<seqBits | trace.Seq(r.is>>seqShift)<<32 | trace.Seq(r.seq)
}

// unpack is the access of a record of w.
func (t *Accesses) unpack(o Order, r *record, w Word) Record {
	ev := trace.Event{Kind: trace.Read, G: r.g, Site: r.site, Stack: r.stack}
	if r.is&isWrite != 0 {
		ev.Kind = trace.Write
	}
	ev.Flags = trace.Flags((r.is ^ isPlain) & (isHard | isPlain | isUnseen) >> flagsShift)
	if r.is&isWide != 0 {
		s := t.spans.at(uint32(r.stack))
		ev.Addr, ev.Size, ev.Stack = s.addr, s.size, s.stack
	} else {
		ev.Addr = trace.Addr(w)<<3 | trace.Addr(r.is>>atShift&7)
		ev.Size = 1 << (r.is >> sizeShift & 3)
	}
	return Record{t.place(r), ev, vclock.Slot(r.slot[o]), r.time[o]}
}
