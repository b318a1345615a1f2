package vet

import (
	"fmt"
	"os"
	"strings"
)

// AppendText appends what was found as go vet prints it, with the name of the check behind each
// message and the related positions below. Files are named by rel. With context >= 0 come the lines
// at each position, and so many around them.
func AppendText(b []byte, found []Diagnostic, rel func(string) string, context int) []byte {
	for i := range found {
		d := &found[i]
		b = fmt.Appendf(b, "%s: %s (%s)\n", d.At.in(rel), d.Message, d.Analyzer)
		b = appendContext(b, d.At, context)
		if d.Confirmed != "" {
			b = fmt.Appendf(b, "\t%s\n", d.Confirmed)
		}
		for _, r := range d.Related {
			b = fmt.Appendf(b, "\t%s: %s\n", r.At.in(rel), r.Message)
			b = appendContext(b, r.At, context)
		}
	}
	return b
}

func (p Position) in(rel func(string) string) string {
	switch {
	case p.File == "":
		return "-"
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", rel(p.File), p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", rel(p.File), p.Line, p.Column)
}

func appendContext(b []byte, p Position, context int) []byte {
	if context < 0 {
		return b
	}
	data, _ := os.ReadFile(p.File)
	lines := strings.Split(string(data), "\n")
	for n := max(1, p.Line-context); n <= min(len(lines), p.Line+context); n++ {
		b = fmt.Appendf(b, "%d\t%s\n", n, lines[n-1])
	}
	return b
}
