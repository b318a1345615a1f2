package trace

import (
	"bufio"
	"fmt"
	"io"
)

// maxLine is the longest line a text may have.
const maxLine = 1 << 20

// lines reads a text line by line; parse makes an event of a line, or says that it has none. It is
// a Source.
type lines struct {
	place
	in    *bufio.Scanner
	parse func(line []byte, ev *Event) (ok bool, err error)
}

func newLines(r io.Reader, name string) lines {
	l := lines{in: bufio.NewScanner(r), place: place{name: name}}
	l.in.Buffer(make([]byte, 64<<10), maxLine)
	return l
}

func (l *lines) Next(ev *Event) (Answer, error) {
	for l.in.Scan() {
		l.n++
		ok, err := l.parse(l.in.Bytes(), ev)
		if err != nil {
			return Truncated, l.error(err)
		}
		if ok {
			return Next, nil
		}
	}
	if err := l.in.Err(); err != nil {
		l.n++
		return Truncated, l.error(err)
	}
	return Ended, nil
}

// place is a line of a text.
type place struct {
	name string // of the file, for errors; may be empty
	n    int    // the line at hand, from 1
}

// Line is the line of the last event, from 1.
func (p *place) Line() int { return p.n }

func (p *place) error(err error) error {
	if p.name == "" {
		return fmt.Errorf("trace: line %d: %w", p.n, err)
	}
	return fmt.Errorf("trace: %s: line %d: %w", p.name, p.n, err)
}
