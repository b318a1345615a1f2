package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// STDReader reads the STD format of RAPID and its relatives: one `thread|op(operand)|location` a line,
// with the operations r, w, acq, rel, fork, join, begin and end. Threads become goroutines in the
// order of their appearance, variables have 8 bytes each, a location is the Site. Locks may be re-entered
// there, which Go's cannot: only the outermost acquire and release of a lock become events.
// Unlike RAPID, which replays the event before it, a malformed line is an error.
type STDReader struct {
	lines
	names [OnTest + 1]map[string]uint32 // numbered from 1
	depth map[[2]uint32]int             // how often goroutine has entered lock
}

// NewSTDReader reads from r; name is the file's in errors.
func NewSTDReader(r io.Reader, name string) *STDReader {
	s := &STDReader{lines: newLines(r, name), depth: map[[2]uint32]int{}}
	for _, shape := range []Operand{OnG, OnBytes, OnLock} {
		s.names[shape] = map[string]uint32{}
	}
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

// stdKinds are the kinds by their operations.
var stdKinds = func() map[string]Kind {
	m := make(map[string]Kind, len(STDNames))
	for k, name := range STDNames {
		m[name] = k
	}
	return m
}()

var errSTDShape = errors.New("want thread|op(operand)|location")

func (s *STDReader) event(line []byte, ev *Event) (bool, error) {
	thread, rest, ok1 := bytes.Cut(line, []byte("|"))
	call, loc, ok2 := bytes.Cut(rest, []byte("|"))
	if !ok1 || !ok2 || len(thread) == 0 || bytes.IndexByte(loc, '|') >= 0 {
		return false, fmt.Errorf("%w, got %q", errSTDShape, line)
	}
	op, arg, closed := call, []byte(nil), true
	if i := bytes.IndexByte(call, '('); i >= 0 {
		op, arg = call[:i], call[i+1:]
		arg, closed = bytes.CutSuffix(arg, []byte(")"))
	}
	kind, ok := stdKinds[string(op)]
	if !ok {
		return false, fmt.Errorf("unknown operation %q", call)
	}
	site, err := strconv.ParseUint(string(loc), 10, 32)
	if err != nil || site > math.MaxInt32 {
		return false, fmt.Errorf("bad location %q, want a number from 0 to %d", loc, math.MaxInt32)
	}
	shape := kind.Spec().Operand
	if shape != NoOperand && (len(arg) == 0 || !closed) {
		return false, fmt.Errorf("%q has no operand in parentheses", call)
	}
	*ev = Event{Kind: kind, G: G(s.number(OnG, thread)), Site: Site(site)}
	switch shape {
	case OnG:
		ev.Other = s.number(OnG, arg)
	case OnBytes:
		ev.Addr, ev.Size = Addr(s.number(OnBytes, arg))*8, 8
	case OnLock:
		n := s.number(OnLock, arg)
		ev.Addr = Addr(n) * 8
		return s.outermost(kind, [2]uint32{uint32(ev.G), n}), nil
	}
	return true, nil
}

func (s *STDReader) outermost(kind Kind, key [2]uint32) bool {
	if kind == Acquire {
		s.depth[key]++
		return s.depth[key] == 1
	}
	s.depth[key]--
	if s.depth[key] <= 0 {
		delete(s.depth, key)
		return true
	}
	return false
}

func (s *STDReader) number(shape Operand, name []byte) uint32 {
	n, ok := s.names[shape][string(name)]
	if !ok {
		n = uint32(len(s.names[shape]) + 1)
		s.names[shape][string(name)] = n
	}
	return n
}
