package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// STDReader reads the STD format of RAPID and its relatives: one `thread|op(operand)|location` a line,
// with the operations r, w, acq, rel, fork, join, begin and end. Threads become goroutines in the
// order of their appearance, variables have 8 bytes each, a location is the Site. Locks may be re-entered
// there, which Go's cannot: only the outermost acquire and release of a lock become events.
// Unlike RAPID, which replays the event before it, a malformed line is an error.
type STDReader struct {
	lines
	names [OnTest + 1]names // by what they name
	depth [][]entered       // by lock
}

// NewSTDReader reads from r; name is the file's in errors.
func NewSTDReader(r io.Reader, name string) *STDReader {
	s := &STDReader{lines: newLines(r, name)}
	s.parse = s.event
	return s
}

// ParseSTD is everything a text in the STD format has.
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

func (s *STDReader) event(line []byte, ev *Event) (bool, error) {
	bar := bytes.IndexByte(line, '|')
	last := bytes.LastIndexByte(line, '|')
	if bar <= 0 || bar == last || bytes.IndexByte(line[bar+1:last], '|') >= 0 {
		return false, fmt.Errorf("%w, got %q", errSTDShape, line)
	}
	thread, call, loc := line[:bar], line[bar+1:last], line[last+1:]
	op, arg, closed := call, []byte(nil), true
	if i := bytes.IndexByte(call, '('); i >= 0 {
		op, arg = call[:i], call[i+1:]
		arg, closed = bytes.CutSuffix(arg, []byte(")"))
	}
	kind, ok := stdKind(op)
	if !ok {
		return false, fmt.Errorf("unknown operation %q", call)
	}
	site, ok := stdLocation(loc)
	if !ok {
		return false, fmt.Errorf("bad location %q, want a number from 0 to %d", loc, math.MaxInt32)
	}
	shape := kind.Spec().Operand
	if shape != NoOperand && (len(arg) == 0 || !closed) {
		return false, fmt.Errorf("%q has no operand in parentheses", call)
	}
	*ev = Event{Kind: kind, G: G(s.names[OnG].number(thread)), Site: site}
	switch shape {
	case OnG:
		ev.Other = s.names[OnG].number(arg)
	case OnBytes:
		ev.Addr, ev.Size = Addr(s.names[OnBytes].number(arg))*8, 8
	case OnLock:
		n := s.names[OnLock].number(arg)
		ev.Addr = Addr(n) * 8
		return s.outermost(kind, ev.G, n), nil
	}
	return true, nil
}

// stdLocation is the number that loc is.
func stdLocation(loc []byte) (Site, bool) {
	n := uint64(0)
	for _, c := range loc {
		if c < '0' || c > '9' || n > math.MaxInt32 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return Site(n), len(loc) > 0 && n <= math.MaxInt32
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
			s.depth[lock] = append(list, entered{g, 1})
			return true
		}
		list[i].times++
		return false
	}
	if i < len(list) {
		if list[i].times--; list[i].times > 0 {
			return false
		}
		list[i] = list[len(list)-1]
		s.depth[lock] = list[:len(list)-1]
	}
	return true
}

// names numbers names from 1, by open addressing: a text has one or two a line.
type names struct {
	slots []nameSlot // a power of two
	used  int
	bytes []byte // of all names
	last  nameSlot
}

type nameSlot struct {
	hash, n  uint32 // n is 0 in an empty slot
	from, to int
}

func (t *names) is(e *nameSlot, name []byte) bool {
	return e.n != 0 && string(t.bytes[e.from:e.to]) == string(name)
}

func (t *names) number(name []byte) uint32 {
	if t.is(&t.last, name) {
		return t.last.n
	}
	h := uint32(2166136261) // FNV-1a
	for _, c := range name {
		h = (h ^ uint32(c)) * 16777619
	}
	if t.used*2 >= len(t.slots) {
		t.grow()
	}
	i := t.find(h, name)
	if t.slots[i].n == 0 {
		t.used++
		t.bytes = append(t.bytes, name...)
		t.slots[i] = nameSlot{h, uint32(t.used), len(t.bytes) - len(name), len(t.bytes)}
	}
	t.last = t.slots[i]
	return t.last.n
}

// find is the slot of name, or an empty one for it.
func (t *names) find(h uint32, name []byte) uint32 {
	mask := uint32(len(t.slots) - 1)
	i := (h ^ h>>15) & mask
	for t.slots[i].n != 0 && (t.slots[i].hash != h || !t.is(&t.slots[i], name)) {
		i = (i + 1) & mask
	}
	return i
}

func (t *names) grow() {
	old := t.slots
	t.slots = make([]nameSlot, max(64, 2*len(old)))
	for _, e := range old {
		if e.n != 0 {
			t.slots[t.find(e.hash, t.bytes[e.from:e.to])] = e
		}
	}
}
