package tracefile

import (
	"errors"
	"fmt"
	"math"

	"github.com/racepred/racepred/internal/trace"
)

// A shape is everything about an event but its goroutine and its operand. Programs do the same few
// things at the same few places, so the coder keeps the shapes it saw in slots, and mostly writes a
// slot's number.
type shape struct {
	kind  trace.Kind
	flags trace.Flags
	size  uint32
	site  trace.Site
	stack trace.Stack
}

// The two bytes an event begins with, little endian.
const (
	hit         = 1 << 0 // the shape is that of slot head>>slotShift; otherwise it follows, and head>>slotShift is kind | flags<<8
	sameG       = 1 << 1 // the goroutine is that of the event before; otherwise it follows
	sameOperand = 1 << 2 // the operand is the predicted one; otherwise the difference follows
	slotShift   = 3
	slots       = 1 << 13
)

const knownFlags = trace.FlagHard | trace.FlagAtomic | trace.FlagUnseen

const _ = uint8(1<<5 - 1 - knownFlags) // compiles if the flags fit in beside the kind

type slot struct {
	shape
	operand uint64 // of the last event of this shape
}

// coder is the state that writer and reader share (F3).
type coder struct {
	slots [slots]slot
	kinds int // the file's version has kinds below that
	g     trace.G
	last  [trace.OnGBefore + 1]uint64 // the last operand of each sort
}

// slotOf is the slot of a shape.
func (s *shape) slotOf() uint32 {
	const k = 0x9E3779B97F4A7C15
	h := uint64(s.kind) | uint64(s.flags)<<8 | uint64(s.size)<<16
	h = h*k ^ uint64(s.site) ^ uint64(s.stack)<<32
	h *= k
	return uint32(h >> 51)
}

// operandOf is the one operand an event has.
func operandOf(ev *trace.Event, sort trace.Operand) uint64 {
	switch sort {
	case trace.NoOperand:
		return 0
	case trace.OnG, trace.OnTest:
		return uint64(ev.Other)
	case trace.OnGBefore:
		return uint64(ev.Size)<<32 | uint64(ev.Other)
	}
	return uint64(ev.Addr)
}

// append appends ev.
func (c *coder) append(b []byte, ev *trace.Event) []byte {
	sort := ev.Kind.Spec().Operand
	s := shape{kind: ev.Kind, flags: ev.Flags, site: ev.Site, stack: ev.Stack}
	if sort == trace.OnBytes {
		s.size = ev.Size
	}
	operand := operandOf(ev, sort)
	n := s.slotOf()
	at := &c.slots[n]
	head, predicted := n<<slotShift|hit, at.operand
	if at.shape != s {
		head = (uint32(s.kind) | uint32(s.flags)<<8) << slotShift
		at.shape, predicted = s, c.last[sort]
	}
	if ev.G == c.g {
		head |= sameG
	}
	if operand == predicted && sort != trace.NoOperand {
		head |= sameOperand
	}
	b = append(b, byte(head), byte(head>>8))
	if head&sameG == 0 {
		b = appendUint(b, uint64(ev.G))
	}
	if head&hit == 0 {
		if sort == trace.OnBytes {
			b = appendUint(b, uint64(s.size))
		}
		b = appendUint(b, uint64(s.site))
		b = appendUint(b, uint64(s.stack))
	}
	if head&sameOperand == 0 && sort != trace.NoOperand {
		b = appendInt(b, int64(operand-predicted))
	}
	c.g, at.operand, c.last[sort] = ev.G, operand, operand
	return b
}

var (
	errShort = errors.New("it ends within a number")
	errLong  = errors.New("a number with more than 64 bits")
)

// read is the twin of append.
func (c *coder) read(in *input, ev *trace.Event) error {
	lo, hi := in.byte(), in.byte()
	head := uint32(lo) | uint32(hi)<<8
	g := c.g
	if head&sameG == 0 {
		g = trace.G(in.uint32("a goroutine"))
	}
	var s shape
	if head&hit != 0 {
		s = c.slots[head>>slotShift].shape
		if s.kind == trace.None && in.err == nil {
			return fmt.Errorf("slot %d, which is empty", head>>slotShift)
		}
	} else {
		s.kind, s.flags = trace.Kind(head>>slotShift), trace.Flags(head>>slotShift>>8)
		if s.kind == trace.None || int(s.kind) >= c.kinds {
			return fmt.Errorf("unknown kind %d, want 1 to %d", s.kind, c.kinds-1)
		}
		if s.flags&^knownFlags != 0 {
			return fmt.Errorf("unknown flags %#x, want some of %#x", s.flags, knownFlags)
		}
		if s.kind.Spec().Operand == trace.OnBytes {
			s.size = in.uint32("a size")
		}
		s.site, s.stack = trace.Site(in.uint32("a site")), trace.Stack(in.uint32("a stack"))
	}
	sort := s.kind.Spec().Operand
	at := &c.slots[s.slotOf()]
	predicted := at.operand
	if at.shape != s {
		at.shape, predicted = s, c.last[sort]
	}
	var operand uint64
	if sort != trace.NoOperand {
		operand = predicted
		if head&sameOperand == 0 {
			operand += uint64(in.int())
		}
	}
	switch {
	case in.err != nil:
		return in.err
	case g == 0:
		return errors.New("goroutine 0, want one from 1 on")
	case (sort == trace.OnG || sort == trace.OnTest) && operand > math.MaxUint32:
		return fmt.Errorf("%s of %d, want at most %d", s.kind, operand, uint32(math.MaxUint32))
	}
	c.g, at.operand, c.last[sort] = g, operand, operand
	*ev = trace.Event{Kind: s.kind, Flags: s.flags, G: g, Size: s.size, Site: s.site, Stack: s.stack}
	switch sort {
	case trace.OnG, trace.OnTest:
		ev.Other = uint32(operand)
	case trace.OnGBefore:
		ev.Other, ev.Size = uint32(operand), uint32(operand>>32)
	default:
		ev.Addr = trace.Addr(operand)
	}
	return nil
}
