package instrument

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Op is what a site stands for, as package rt lists them.
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
	OpGo     Op = "go"
	OpSend   Op = "send"
	OpRecv   Op = "recv"
	OpClose  Op = "close"
	OpMap    Op = "map"
)

// Site is one source position that rewritten code names.
type Site struct {
	Line, Col int // in the original file, from 1
	Op        Op
	Expr      string // as written, at most 80 bytes, on one line
	Func      string // the enclosing declared function
	Once      bool   // recorded in the first turn of a loop that comes to it, not in others (C4)
}

// Edit replaces the Del bytes at Off of the original file by Text. Text never
// holds more or fewer newlines than the bytes it replaces.
type Edit struct {
	Off, Del int
	Text     string
	Rule     Rule
	Ahead    bool // it stands at the beginning of a body and belongs to the head (counters/K1)
}

// Miss is an access that is known but not recorded.
type Miss struct {
	Line, Col int
	Expr      string
	Why       Reason
}

// Plan is what is to be done to one file, and why.
type Plan struct {
	Edits  []Edit // in order of Off; at equal Off in order of insertion
	Sites  []Site
	Misses []Miss
	Opaque []OpaqueCall
	// Covered are accesses that are not recorded because an earlier one of the same location is.
	Covered []Covered

	wrappers []wrappers // (R5)
	forwards []string   // the functions of wrappers, for the end of the file
	imports  []string   // what these import
}

// Empty says whether the file stays as it is.
func (p *Plan) Empty() bool { return len(p.Sites) == 0 && len(p.Edits) == 0 }

// Recording counts the sites that have a recording call.
func (p *Plan) Recording() int {
	n := 0
	for _, s := range p.Sites {
		switch s.Op {
		case OpRead, OpWrite, OpOpaque:
			n++
		}
	}
	return n
}

// Apply splices the edits into src, which starts at offset base of the file.
// Edits outside of src are an internal error.
func apply(src []byte, base int, edits []Edit) string {
	edits = append([]Edit(nil), edits...)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Off < edits[j].Off })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		off := e.Off - base
		if off < at || off+e.Del > len(src) {
			panic(fmt.Sprintf("internal error: edit %q at %d (%d bytes) overlaps another or leaves its text of %d bytes at %d", e.Text, e.Off, e.Del, len(src), base))
		}
		b.Write(src[at:off])
		b.WriteString(e.Text)
		at = off + e.Del
	}
	b.Write(src[at:])
	return b.String()
}

// table renders sites as RacepredSites takes them: one line each.
func table(sites []Site) string {
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

// oneLine squeezes white space out of an expression's source and cuts it to maxExpr bytes.
func oneLine(src string) string {
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
