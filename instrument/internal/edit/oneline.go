package edit

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// OneLine puts source text of several lines on one. A line end that ends a field or a statement
// becomes a semicolon, a comment that would hide the text after it is dropped, and a raw string is
// quoted. The text of each line has the mark of its number, from 0 on, before it.
func OneLine(text string, mark func(line int) string) string {
	if !strings.Contains(text, "\n") {
		return mark(0) + text
	}
	src := []byte(text)
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var b strings.Builder
	b.WriteString(mark(0))
	line, at := 0, 0
	upTo := func(end int) { // what lies between tokens
		for _, c := range src[at:end] {
			if c == '\n' {
				line++
				b.WriteString(" " + mark(line))
			} else {
				b.WriteByte(c)
			}
		}
		at = end
	}
	for {
		pos, tok, lit := s.Scan()
		start := file.Offset(pos)
		if tok == token.EOF {
			upTo(len(src))
			return b.String()
		}
		upTo(start)
		switch tok {
		case token.SEMICOLON:
			if lit != "\n" {
				upTo(start + 1)
			} else if start < len(src) {
				b.WriteByte(';')
			}
		case token.COMMENT:
			at += commentLen(src[at:])
			if n := strings.Count(lit, "\n"); n > 0 {
				line += n
				b.WriteString(" " + mark(line))
			} else if strings.HasPrefix(lit, "/*") {
				b.WriteString(lit)
			}
		case token.STRING:
			at += rawLen(src[at:], lit)
			if v, err := strconv.Unquote(lit); err == nil && strings.Contains(lit, "\n") {
				line += strings.Count(lit, "\n")
				lit = strconv.Quote(v)
			}
			b.WriteString(lit)
		default:
			if lit == "" {
				lit = tok.String()
			}
			upTo(start + len(lit))
		}
	}
}

// rawLen and commentLen are the lengths of a string and a comment in the source, where the
// scanner's text lacks the carriage returns.
func rawLen(src []byte, lit string) int {
	if lit[0] != '`' {
		return len(lit)
	}
	return bytes.IndexByte(src[1:], '`') + 2
}

func commentLen(src []byte) int {
	end, more := []byte("\n"), 0
	if src[1] == '*' {
		end, more = []byte("*/"), 2
	}
	if i := bytes.Index(src[2:], end); i >= 0 {
		return i + 2 + more
	}
	return len(src)
}
