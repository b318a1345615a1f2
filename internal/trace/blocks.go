package trace

import (
	"bufio"
	"bytes"
	"io"
)

// blocks reads a text in large blocks. Its lines are parts of the blocks, not copies.
type blocks struct {
	in       io.Reader
	buf      []byte // ends with namePad bytes of no meaning
	from, to int    // the bytes that were read and not given out
	err      error  // of the last read
}

// blockLen is how much is read at a time.
const blockLen = 256 << 10

// line is the next line without its end, good until the next call; namePad bytes follow. The error
// after the last one is io.EOF.
func (b *blocks) line() ([]byte, error) {
	for seen := b.from; ; {
		if i := bytes.IndexByte(b.buf[seen:b.to], '\n'); i >= 0 {
			line := b.buf[b.from : seen+i]
			b.from = seen + i + 1
			return trim(line), nil
		}
		if b.to-b.from > maxLine {
			return nil, bufio.ErrTooLong
		}
		if b.err != nil {
			line := b.buf[b.from:b.to]
			b.from = b.to
			if len(line) == 0 || b.err != io.EOF {
				return nil, b.err
			}
			return trim(line), nil
		}
		n := b.to - b.from
		b.fill()
		seen = b.from + n
	}
}

// trim drops the carriage return before an end of line.
func trim(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// maxEmptyReads is how often a reader may return nothing at all in a row.
const maxEmptyReads = 100

// fill reads more of the text.
func (b *blocks) fill() {
	b.to = copy(b.buf, b.buf[b.from:b.to])
	b.from = 0
	if b.to+namePad+blockLen/2 > len(b.buf) { // at first, and for long lines
		b.buf = append(b.buf[:b.to], make([]byte, b.to+blockLen+namePad)...)
	}
	for range maxEmptyReads {
		var n int
		n, b.err = b.in.Read(b.buf[b.to : len(b.buf)-namePad])
		b.to += n
		if n > 0 || b.err != nil {
			return
		}
	}
	b.err = io.ErrNoProgress
}
