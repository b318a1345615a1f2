// Package emit writes recording calls into the text of a file: nodes of the file, and what goes
// before, around and in place of them -> edits in the order in which they were asked for. It knows
// nothing of what is recorded and why. A text that is made for another place of the file
// (Text.Apart) has edits of its own, and becomes one line.
package emit

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// File is the file that is rewritten, with the names that it has been given.
type File struct {
	Tokens *token.File
	Bytes  []byte // as they were
	Slots  []int  // offsets where the text needs slots (package counters), in order

	Runtime string // the name by which package runtime is imported
	Prefix  string // begins every name that is put in
	Names   int    // how many new variables there are
}

// Off is the offset of a position in Bytes.
func (f *File) Off(pos token.Pos) int { return f.Tokens.Offset(pos) }

// Line is the line of a position in the file, whatever line directives say.
func (f *File) Line(pos token.Pos) int { return f.Tokens.PositionFor(pos, false).Line }

// Written is a node as it is written in the original.
func (f *File) Written(n ast.Node) string {
	return string(f.Bytes[f.Off(n.Pos()):f.Off(n.End())])
}

// Temp names a new variable.
func (f *File) Temp() string {
	f.Names++
	return f.Prefix + "t" + strconv.Itoa(f.Names)
}

// Call is the text of a call of package runtime.
func (f *File) Call(fn string, args ...string) string {
	return f.Runtime + "." + fn + "(" + strings.Join(args, ", ") + ")"
}
