package trace

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ParseSTD reads the STD format of RAPID and its relatives: one `thread|op(operand)|location` a line,
// with the operations r, w, acq, rel, fork, join, begin and end. Threads become goroutines in the
// order of their appearance, variables have 8 bytes each, a location is the Site. Locks may be re-entered
// there, which Go's cannot: only the outermost acquire and release of a lock become events.
// Unlike RAPID, which replays the event before it, a malformed line is an error.
func ParseSTD(r io.Reader) ([]Event, error) {
	s := std{names: map[string]uint32{}, depth: map[[2]uint32]int{}}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		if err := s.line(in.Text()); err != nil {
			return nil, fmt.Errorf("trace: line %d: %w", n, err)
		}
	}
	return s.events, in.Err()
}

type std struct {
	events []Event
	names  map[string]uint32 // by name space and name, numbered from 1
	count  [OnTest + 1]uint32
	depth  map[[2]uint32]int // how often goroutine has entered lock
}

var stdKinds = map[string]Kind{
	"r": Read, "w": Write, "acq": Acquire, "rel": Release,
	"fork": Fork, "join": Join, "begin": Begin, "end": End,
}

func (s *std) line(line string) error {
	f := strings.Split(line, "|")
	if len(f) != 3 {
		return fmt.Errorf("want thread|op(operand)|location, got %q", line)
	}
	op, arg, _ := strings.Cut(strings.TrimSuffix(f[1], ")"), "(")
	kind, ok := stdKinds[op]
	if !ok {
		return fmt.Errorf("unknown operation %q", f[1])
	}
	loc, err := strconv.ParseUint(f[2], 10, 32)
	if err != nil || loc > math.MaxInt32 {
		return fmt.Errorf("bad location %q", f[2])
	}
	ev := Event{Kind: kind, G: G(s.number(OnG, f[0])), Site: Site(loc)}
	shape := kind.Spec().Operand
	if shape != NoOperand && arg == "" {
		return fmt.Errorf("%q has no operand", f[1])
	}
	switch shape {
	case OnG:
		ev.Other = s.number(OnG, arg)
	case OnBytes:
		ev.Addr, ev.Size = Addr(s.number(OnBytes, arg))*8, 8
	case OnLock:
		ev.Addr = Addr(s.number(OnLock, arg)) * 8
		if !s.outermost(&ev) {
			return nil
		}
	}
	s.events = append(s.events, ev)
	return nil
}

func (s *std) outermost(ev *Event) bool {
	key := [2]uint32{uint32(ev.G), uint32(ev.Addr)}
	if ev.Kind == Acquire {
		s.depth[key]++
		return s.depth[key] == 1
	}
	s.depth[key]--
	return s.depth[key] <= 0
}

func (s *std) number(shape Operand, name string) uint32 {
	key := strconv.Itoa(int(shape)) + "/" + name
	n, ok := s.names[key]
	if !ok {
		s.count[shape]++
		n = s.count[shape]
		s.names[key] = n
	}
	return n
}
