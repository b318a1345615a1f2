// Package edit changes text without moving it to other lines: original bytes and edits -> new
// bytes.
package edit

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Rule names the rule of package instrument by which an edit was made.
type Rule string

// Edit replaces the Del bytes at Off of the original file by Text. Text never
// holds more or fewer newlines than the bytes it replaces.
type Edit struct {
	Off, Del int
	Text     string
	Rule     Rule
	Ahead    bool // it stands at the beginning of a body and belongs to the head (counters/K1)
}

// Apply splices the edits into src, which starts at offset base of the file.
// Edits outside of src are an internal error.
func Apply(src []byte, base int, edits []Edit) string {
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

// Newlines are the line ends of src.
func Newlines(src []byte) string {
	return strings.Repeat("\n", strings.Count(string(src), "\n"))
}

// LineComment says that what follows is in a line of the file.
func LineComment(line int) string { return "/*line :" + strconv.Itoa(line) + ":1*/" }
