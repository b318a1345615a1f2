package std

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/racepred/racepred/internal/trace"
)

// Export writes events to w. An error names the event that STD cannot express; w has a part of the
// text then.
func Export(w io.Writer, events []trace.Event) error {
	p, err := newPlan(events)
	if err != nil {
		return err
	}
	// The first pass finds out which edges are needed.
	first := exporter{plan: p, needed: map[edge]bool{}, out: bufio.NewWriter(io.Discard)}
	if err := first.run(); err != nil {
		return err
	}
	second := exporter{plan: p, wanted: first.needed, needed: map[edge]bool{}, out: bufio.NewWriter(w)}
	if err := second.run(); err != nil {
		return err
	}
	return second.out.Flush()
}

// edge is an edge by its source: the place in the trace of an event that released a lock or an
// object, or that acquired a lock which another goroutine releases.
type edge int

type exporter struct {
	*plan
	out            *bufio.Writer
	wanted, needed map[edge]bool // wanted nil: the first pass
	err            error

	seq     int
	ev      *trace.Event
	objects map[trace.Addr]*object
	locks   map[trace.Addr]*lockState
	lives   []uint32      // by variable
	depth   map[entry]int // (S2)
}

// entry is a goroutine in sections of a lock, of one mode.
type entry struct {
	g      trace.G
	lock   trace.Addr
	shared bool
}

func (x *exporter) run() error {
	x.objects, x.locks = map[trace.Addr]*object{}, map[trace.Addr]*lockState{}
	x.lives = make([]uint32, len(x.bounds))
	x.depth = map[entry]int{}
	for i := range x.events {
		x.seq, x.ev = i, &x.events[i]
		x.event()
		if x.err != nil {
			return fmt.Errorf("trace: event %d: %w", i, x.err)
		}
	}
	return nil
}

func (x *exporter) event() {
	ev := x.ev
	switch ev.Kind {
	case trace.Read, trace.Write:
		x.access()
	case trace.Alloc: // (S1)
		lo, hi := x.cells(ev)
		for c := lo; c < hi; c++ {
			x.lives[c]++
		}
	case trace.Acquire, trace.RAcquire:
		x.acquire()
	case trace.Release, trace.RRelease:
		x.release()
	case trace.TryFail:
		x.tryFail()
	case trace.Fork, trace.Join:
		x.line(ev.Kind, "T"+strconv.Itoa(int(ev.Other)))
	case trace.Begin, trace.End:
		x.line(ev.Kind, "")
	case trace.Observe, trace.Change:
		x.pin()
	case trace.Opaque:
		x.opaque()
	default:
		if s := ev.Kind.Spec(); s.Takes || s.Gives {
			x.hard()
		}
	}
}

// access is (S1), (S10) and (S12).
func (x *exporter) access() {
	lo, hi := x.cells(x.ev)
	for c := lo; c < hi; c++ {
		name := "V" + hex(x.bounds[c])
		if x.lives[c] > 0 {
			name += "." + strconv.Itoa(int(x.lives[c]))
		}
		do := func() {
			if x.ev.Kind == trace.Write && x.ev.Unseen() { // (S12)
				x.line(trace.Read, name)
			}
			x.line(x.ev.Kind, name)
		}
		if x.ev.Flags&trace.FlagAtomic != 0 {
			x.under("A"+hex(x.bounds[c]), do)
		} else {
			do()
		}
	}
}

// pin is (S7).
func (x *exporter) pin() {
	name := "P" + hex(x.ev.Addr)
	if !x.pins[x.ev.Addr].several || !x.looked[x.ev.Addr] {
		return
	}
	x.under(name, func() {
		x.line(trace.Read, name)
		if x.ev.Kind == trace.Change {
			x.line(trace.Write, name)
		}
	})
}

// opaque is (S8).
func (x *exporter) opaque() {
	for _, s := range x.around[x.seq] {
		lock := x.sections[s].lock
		if !x.calls[lock].several {
			continue
		}
		x.line(trace.Read, "Q"+hex(lock))
		if !x.sections[s].shared {
			x.line(trace.Write, "Q"+hex(lock))
		}
	}
}

// give is the source of an edge, take the other end (S4). A goroutine's own edges are its program
// order.
func (x *exporter) give() edge {
	e := edge(x.seq)
	if x.wanted[e] {
		x.write(e.String())
	}
	return e
}

func (x *exporter) take(e edge) {
	if x.events[e].G != x.ev.G {
		x.needed[e] = true
		x.read(e.String())
	}
}

func (e edge) String() string { return "E" + strconv.Itoa(int(e)) }

func (x *exporter) under(lock string, f func()) {
	x.line(trace.Acquire, lock)
	f()
	x.line(trace.Release, lock)
}

const stackLocations = 1 << 30

// line writes one line, at the location of the event at hand (S11).
func (x *exporter) line(kind trace.Kind, operand string) {
	loc := uint32(x.ev.Site)
	if loc == 0 && x.ev.Stack != 0 {
		loc = stackLocations + uint32(x.ev.Stack)
	} else if loc >= stackLocations {
		x.err = fmt.Errorf("site %d, want one below %d for STD", loc, stackLocations)
	}
	b := append(x.out.AvailableBuffer(), 'T')
	b = strconv.AppendUint(b, uint64(x.ev.G), 10)
	b = append(b, '|')
	b = append(b, trace.STDNames[kind]...)
	if operand != "" {
		b = append(b, '(')
		b = append(b, operand...)
		b = append(b, ')')
	}
	b = append(b, '|')
	b = strconv.AppendUint(b, uint64(loc), 10)
	b = append(b, '\n')
	_, err := x.out.Write(b)
	if x.err == nil {
		x.err = err
	}
}

func hex(a trace.Addr) string { return strconv.FormatUint(uint64(a), 16) }
