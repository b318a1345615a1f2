// Package site describes a place in rewritten code that records: the operation, and its position
// and text in the original.
package site

import (
	"strconv"
	"strings"
)

// Op is the operation at a site. Package rt lists them.
type Op string

// The operations of a site. The name-giving ones (from OpLock on) have no
// recording call of their own: the runtime records the operation and finds the
// site by its file and line.
const (
	OpRead   Op = "read"
	OpWrite  Op = "write"
	OpOpaque Op = "opaque"
	OpLock   Op = "lock"
	OpRLock  Op = "rlock"
	OpUnlock Op = "unlock"
	OpGroup  Op = "group" // a call of a WaitGroup's method
	OpGo     Op = "go"
	OpSend   Op = "send"
	OpRecv   Op = "recv"
	OpClose  Op = "close"
	OpMap    Op = "map"
	OpAtomic Op = "atomic" // a function, whose begin is recorded
)

// Site is one source position that rewritten code names.
type Site struct {
	Line, Col int // in the original file, from 1
	Op        Op
	Expr      string // as written, at most 80 bytes, on one line
	Func      string // the enclosing declared function
	Once      bool   // recorded in the first turn of a loop that comes to it, not in others (instrument/C4)
}

// Table renders sites as RacepredSites takes them: one line each.
func Table(sites []Site) string {
	var b strings.Builder
	for _, s := range sites {
		b.WriteString(strconv.Itoa(s.Line))
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(s.Col))
		b.WriteByte('\t')
		b.WriteString(string(s.Op))
		b.WriteByte('\t')
		b.WriteString(s.Expr)
		b.WriteByte('\t')
		b.WriteString(s.Func)
		b.WriteByte('\n')
	}
	return b.String()
}

// maxExpr bounds a site's expression, in bytes.
const maxExpr = 80

// OneLine squeezes white space out of an expression's source and cuts it to maxExpr bytes.
func OneLine(src string) string {
	if len(src) > 4*maxExpr {
		src = src[:4*maxExpr]
	}
	s := strings.Join(strings.Fields(src), " ")
	s = strings.ToValidUTF8(s, "?")
	if len(s) <= maxExpr {
		return s
	}
	cut := maxExpr - len("...")
	for cut > 0 && s[cut]&0xC0 == 0x80 { // not inside of a rune
		cut--
	}
	return s[:cut] + "..."
}
