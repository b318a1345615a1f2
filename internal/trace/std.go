package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// STDReader reads the STD format of RAPID and its relatives: one `thread|op(operand)|location` a
// line, with the operations r, w, acq, rel, fork, join, begin and end. Threads become goroutines in
// the order of their appearance, variables have 8 bytes each, a location is the Site: a number
// itself, any other one by its name. Locks may be re-entered there, which Go's cannot: only the
// outermost acquire and release of a lock become events. What no run can have, such as a release of
// what was not acquired, is an event all the same, and a Problem. A malformed line is an error.
// (RAPID replays the event before it.)
type STDReader struct {
	place
	in    blocks
	names [OnGBefore + 1]names // by Operand
	depth [][]entered          // by lock

	table *aloneTable // see Survey; nil for none
	alone []bool      // by variable, what it says

	locations names
	within    []int // lines that made no event: of sections within one of the same lock
	forked    map[uint32]bool
	problems  []Problem
	more      int // problems that are not in the list
}

// NewSTDReader reads from r. Errors call the file by name.
func NewSTDReader(r io.Reader, name string) *STDReader {
	return &STDReader{place: place{name: name}, in: blocks{in: r}}
}

// Next implements Source.
func (s *STDReader) Next(ev *Event) (Answer, error) {
	for {
		if ok, event := s.common(ev); event {
			return Next, nil
		} else if ok {
			continue
		}
		line, err := s.in.line()
		if err == io.EOF {
			return Ended, nil
		}
		s.n++
		if err != nil {
			return Truncated, s.error(err)
		}
		ok, err := s.event(line, ev)
		if err != nil {
			return Truncated, s.error(err)
		}
		if ok {
			return Next, nil
		}
	}
}

// number is the number of the name between two places of a line.
func (s *STDReader) number(of Operand, line []byte, from, to int) uint32 {
	return s.names[of].number(line[from:len(line)+namePad], to-from)
}

// ParseSTD reads all events of a text in the STD format.
func ParseSTD(r io.Reader) ([]Event, error) {
	events, _, err := ReadAll(NewSTDReader(r, ""))
	return events, err
}

// STDNames are the operations of STD by the kinds that have one.
var STDNames = map[Kind]string{
	Read: "r", Write: "w", Acquire: "acq", Release: "rel", Fork: "fork", Join: "join", Begin: "begin", End: "end",
}

// stdKind is the kind of an operation; most are accesses and sections.
func stdKind(op []byte) (Kind, bool) {
	switch string(op) {
	case "r":
		return Read, true
	case "w":
		return Write, true
	case "acq":
		return Acquire, true
	case "rel":
		return Release, true
	case "fork":
		return Fork, true
	case "join":
		return Join, true
	case "begin":
		return Begin, true
	case "end":
		return End, true
	}
	return 0, false
}

var errSTDShape = errors.New("want thread|op(operand)|location")

// stdLine are the parts of a line.
type stdLine struct {
	bar      int // where the thread ends
	op       []byte
	from, to int  // where the operand is
	closed   bool // there is one, or its parenthesis is closed
	loc, all []byte
}

// cutSTD finds the parts of a line. It returns false if the line does not have three.
func cutSTD(line []byte) (c stdLine, ok bool) {
	c.bar = bytes.IndexByte(line, '|')
	last := bytes.LastIndexByte(line, '|')
	if c.bar <= 0 || c.bar == last || bytes.IndexByte(line[c.bar+1:last], '|') >= 0 {
		return c, false
	}
	c.all, c.loc = line[c.bar+1:last], line[last+1:]
	c.op, c.closed = c.all, true
	if i := bytes.IndexByte(c.all, '('); i >= 0 {
		arg := c.all[i+1:]
		c.op, c.from = c.all[:i], c.bar+1+i+1
		arg, c.closed = bytes.CutSuffix(arg, []byte(")"))
		c.to = c.from + len(arg)
	}
	return c, true
}

// event makes an event of a line, which has namePad bytes behind it, or says that it has none.
func (s *STDReader) event(line []byte, ev *Event) (bool, error) {
	c, ok := cutSTD(line)
	if !ok {
		return false, fmt.Errorf("%w, got %q", errSTDShape, line)
	}
	kind, ok := stdKind(c.op)
	if !ok {
		return false, fmt.Errorf("unknown operation %q", c.all)
	}
	site, ok := stdLocation(c.loc)
	if !ok {
		name := bytes.TrimSuffix(c.loc, []byte("\r"))
		if len(name) == 0 {
			return false, fmt.Errorf("%q has no location", line)
		}
		site = maxLocation + Site(s.locations.longNumber(name))
	}
	shape := kind.Spec().Operand
	if shape != NoOperand && (c.from == c.to || !c.closed) {
		return false, fmt.Errorf("%q has no operand in parentheses", c.all)
	}
	*ev = Event{Kind: kind, G: G(s.number(OnG, line, 0, c.bar)), Site: site}
	switch shape {
	case OnG:
		ev.Other = s.number(OnG, line, c.from, c.to)
		if kind == Fork {
			if s.forked[ev.Other] || ev.Other == uint32(ev.G) {
				s.problem(fmt.Sprintf("%s forks %s, which was there before", line[:c.bar], line[c.from:c.to]))
			}
			if s.forked == nil {
				s.forked = map[uint32]bool{}
			}
			s.forked[ev.Other] = true
		}
	case OnBytes:
		n := s.number(OnBytes, line, c.from, c.to)
		if s.table != nil && int(n) > len(s.alone) {
			s.alone = append(s.alone, s.table.alone(nameHash(line[c.from:len(line)+namePad], c.to-c.from)))
		}
		ev.Addr, ev.Size, ev.Alone = Addr(n)*8, 8, s.table != nil && s.alone[n-1]
	case OnLock:
		n := s.number(OnLock, line, c.from, c.to)
		ev.Addr = Addr(n) * 8
		return s.outermost(kind, ev.G, n), nil
	}
	return true, nil
}

// stdLocation is the number in loc.
func stdLocation(loc []byte) (Site, bool) {
	n := uint64(0)
	for _, c := range loc {
		if c < '0' || c > '9' || n > maxLocation {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return Site(n), len(loc) > 0 && n <= maxLocation
}

// entered is how often a goroutine has entered a lock.
type entered struct {
	g     G
	times int
}

func (s *STDReader) outermost(kind Kind, g G, lock uint32) bool {
	for int(lock) >= len(s.depth) {
		s.depth = append(s.depth, nil)
	}
	list := s.depth[lock] // of one goroutine, but in malformed traces
	i := 0
	for i < len(list) && list[i].g != g {
		i++
	}
	if kind == Acquire {
		if i == len(list) {
			if i > 0 {
				s.lockProblem(g, "acquires", lock, list[0].g)
			}
			s.depth[lock] = append(list, entered{g, 1})
			return true
		}
		list[i].times++
		s.within = append(s.within, s.n)
		return false
	}
	if i == len(list) {
		s.lockProblem(g, "releases", lock, 0)
		return true
	}
	if list[i].times--; list[i].times > 0 {
		s.within = append(s.within, s.n)
		return false
	}
	list[i] = list[len(list)-1]
	s.depth[lock] = list[:len(list)-1]
	return true
}
