package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The text form has one event a line:
//
//	g1 acquire mu            a lock, object or variable is a name or a number
//	g1 write x+4:4 atomic    4 bytes from the fifth byte of x on; the size is 8 when not given
//	g2 racquire mu hard
//	g2 change n unseen
//	g1 fork g2 site=7        the site is the event's place in the trace (from 1) when not given
//	g2 testbegin 3 stack=12
//	g2 missedwrite g1:120    of goroutine 1, 120 events ago
//
// "//" starts a comment, blank lines mean nothing. Names become addresses in the order of their
// appearance, variables 64 bytes apart, each name space for itself.

// nameBase and nameStep place names of one name space.
const (
	nameBase Addr = 0x1000
	nameStep Addr = 0x40
)

// TextReader reads the text form.
type TextReader struct {
	lines
	parser
}

// NewTextReader reads from r. Errors call the file by name.
func NewTextReader(r io.Reader, name string) *TextReader {
	t := &TextReader{lines: newLines(r, name), parser: parser{names: map[string]Addr{}}}
	t.lines.parse = t.line
	return t
}

func (t *TextReader) line(line []byte, ev *Event) (bool, error) {
	text, _, _ := strings.Cut(string(line), "//")
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return false, nil
	}
	var err error
	*ev, err = t.event(fields)
	return err == nil, err
}

// Parse reads all events of a text. An error names the line.
func Parse(text string) ([]Event, error) {
	events, _, err := ReadAll(NewTextReader(strings.NewReader(text), ""))
	return events, err
}

var errWraps = errors.New("it goes beyond the greatest address")

type parser struct {
	n     int             // events so far
	names map[string]Addr // by name space and name, as in "2/mu"
	used  [OnGBefore + 1]Addr
}

func (p *parser) event(f []string) (ev Event, err error) {
	if ev.G, err = parseG(f[0]); err != nil {
		return ev, err
	}
	if len(f) < 2 {
		return ev, errors.New("no kind of event")
	}
	if ev.Kind = KindOf(f[1]); ev.Kind == None {
		return ev, fmt.Errorf("unknown kind %q", f[1])
	}
	p.n++
	ev.Site = Site(p.n)
	rest := f[2:]
	if shape := ev.Kind.Spec().Operand; shape != NoOperand {
		if len(rest) == 0 {
			return ev, fmt.Errorf("%s has no operand", ev.Kind)
		}
		if err = p.operand(&ev, shape, rest[0]); err != nil {
			return ev, err
		}
		rest = rest[1:]
	}
	for _, word := range rest {
		if err = modify(&ev, word); err != nil {
			return ev, err
		}
	}
	return ev, nil
}

func (p *parser) operand(ev *Event, shape Operand, word string) error {
	switch shape {
	case OnG:
		g, err := parseG(word)
		ev.Other = uint32(g)
		return err
	case OnGBefore:
		who, ago, _ := strings.Cut(word, ":")
		g, err := parseG(who)
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(ago, 10, 32)
		ev.Other, ev.Size = uint32(g), uint32(n)
		return err
	case OnTest:
		n, err := strconv.ParseUint(word, 0, 32)
		ev.Other = uint32(n)
		return err
	case OnBytes:
		word, size, sized := strings.Cut(word, ":")
		word, off, shifted := strings.Cut(word, "+")
		ev.Size = 8
		if sized {
			n, err := strconv.ParseUint(size, 0, 32)
			if err != nil || n == 0 {
				return fmt.Errorf("bad size %q", size)
			}
			ev.Size = uint32(n)
		}
		a, err := p.addr(shape, word)
		if shifted && err == nil {
			var n uint64
			n, err = strconv.ParseUint(off, 0, 32)
			a += Addr(n)
		}
		ev.Addr = a
		if err == nil && ev.Wraps() {
			err = errWraps
		}
		return err
	default:
		a, err := p.addr(shape, word)
		ev.Addr = a
		return err
	}
}

// addr is the address of a number or a name.
func (p *parser) addr(shape Operand, word string) (Addr, error) {
	if word == "" {
		return 0, errors.New("empty name")
	}
	if word[0] >= '0' && word[0] <= '9' {
		n, err := strconv.ParseUint(word, 0, 64)
		return Addr(n), err
	}
	key := strconv.Itoa(int(shape)) + "/" + word
	a, ok := p.names[key]
	if !ok {
		a = nameBase + p.used[shape]*nameStep
		p.used[shape]++
		p.names[key] = a
	}
	return a, nil
}

// maxTextG is the greatest number of a goroutine that a text may have. Readers of events have tables
// up to the greatest number.
const maxTextG = 1 << 26

func parseG(word string) (G, error) {
	digits, ok := strings.CutPrefix(word, "g")
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || n == 0 || n > maxTextG {
		return 0, fmt.Errorf("bad goroutine %q, want g and a number from 1 to %d", word, maxTextG)
	}
	return G(n), nil
}

func modify(ev *Event, word string) error {
	switch word {
	case "hard":
		ev.Flags |= FlagHard
		return nil
	case "tried":
		ev.Flags |= FlagTried
		return nil
	case "atomic":
		ev.Flags |= FlagAtomic
		return nil
	case "unseen":
		ev.Flags |= FlagUnseen
		return nil
	case "append":
		ev.Flags |= FlagAppend
		return nil
	}
	key, val, _ := strings.Cut(word, "=")
	n, err := strconv.ParseUint(val, 10, 32)
	if err != nil {
		return fmt.Errorf("bad word %q", word)
	}
	switch key {
	case "site":
		ev.Site = Site(n)
	case "stack":
		ev.Stack = Stack(n)
	default:
		return fmt.Errorf("bad word %q", word)
	}
	return nil
}

// String is the event in the text form, with numbers for names and its site spelled out.
func (ev Event) String() string {
	b := append(make([]byte, 0, 48), 'g')
	b = strconv.AppendUint(b, uint64(ev.G), 10)
	b = append(b, ' ')
	b = append(b, ev.Kind.String()...)
	switch ev.Kind.Spec().Operand {
	case OnG:
		b = append(b, " g"...)
		b = strconv.AppendUint(b, uint64(ev.Other), 10)
	case OnGBefore:
		b = append(b, " g"...)
		b = strconv.AppendUint(b, uint64(ev.Other), 10)
		b = append(b, ':')
		b = strconv.AppendUint(b, uint64(ev.Size), 10)
	case OnTest:
		b = append(b, ' ')
		b = strconv.AppendUint(b, uint64(ev.Other), 10)
	case OnLock, OnObject, OnBytes:
		b = append(b, " 0x"...)
		b = strconv.AppendUint(b, uint64(ev.Addr), 16)
		if ev.Kind.Spec().Operand == OnBytes {
			b = append(b, ':')
			b = strconv.AppendUint(b, uint64(ev.Size), 10)
		}
	}
	switch {
	case ev.Flags&FlagHard == 0:
	case ev.Kind.Spec().Access:
		b = append(b, " append"...)
	default:
		b = append(b, " hard"...)
	}
	switch {
	case ev.Flags&FlagAtomic == 0:
	case ev.Kind.Spec().Opens:
		b = append(b, " tried"...)
	default:
		b = append(b, " atomic"...)
	}
	if ev.Flags&FlagUnseen != 0 {
		b = append(b, " unseen"...)
	}
	b = append(b, " site="...)
	b = strconv.AppendUint(b, uint64(ev.Site), 10)
	if ev.Stack != 0 {
		b = append(b, " stack="...)
		b = strconv.AppendUint(b, uint64(ev.Stack), 10)
	}
	return string(b)
}

// Print writes the text form. Parse makes the same events of it.
func Print(w io.Writer, events []Event) error {
	b := bufio.NewWriter(w)
	for _, ev := range events {
		fmt.Fprintln(b, ev)
	}
	return b.Flush()
}
