package trace

import (
	"bufio"
	"fmt"
	"io"
)

// maxLine is the longest line a text may have.
const maxLine = 1 << 20

// lines reads a text line by line; parse makes an event of a line, or says that it has none. It is a Source.
type lines struct {
	in    *bufio.Scanner
	name  string // of the file, for errors; may be empty
	n     int    // the line at hand, from 1
	parse func(line []byte, ev *Event) (ok bool, err error)
}

func newLines(r io.Reader, name string) lines {
	l := lines{in: bufio.NewScanner(r), name: name}
	l.in.Buffer(make([]byte, 64<<10), maxLine)
	return l
}

// Line is the line of the last event, from 1.
func (l *lines) Line() int { return l.n }

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

func (l *lines) error(err error) error {
	if l.name == "" {
		return fmt.Errorf("trace: line %d: %w", l.n, err)
	}
	return fmt.Errorf("trace: %s: line %d: %w", l.name, l.n, err)
}
