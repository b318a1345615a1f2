package emit

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// OneLine is a node with edits, on one line. It says which lines it comes from if t.Lines is set.
func (t *Text) OneLine(n ast.Node, edits []edit.Edit) string {
	start, end := t.Off(n.Pos()), t.Off(n.End())
	text := edit.Apply(t.Bytes[start:end], start, edit.WithSlots(edits, edit.Between(t.Slots, start, end)))
	line := t.Line(n.Pos())
	return edit.OneLine(text, func(i int) string {
		if !t.Lines {
			return ""
		}
		return edit.LineComment(line + i)
	})
}

// Placed is text made of n that is put before at. It says which line it is from, so that a panic in
// it names that line.
func (t *Text) Placed(at token.Pos, n ast.Node, text func() string) string {
	line := t.Line(at)
	if t.unplaced(at) || line == t.Line(n.Pos()) && line == t.Line(n.End()) {
		return text()
	}
	defer t.WithLines(true)()
	return text() + edit.LineComment(line)
}

// unplaced reports whether text before at cannot say which line it is from: the text around it is
// moved as well, or the file has line directives.
func (t *Text) unplaced(at token.Pos) bool {
	return t.apart && !t.Lines || t.Tokens.PositionFor(at, true).Line != t.Line(at)
}

// Splits reports whether the line of at may be split before it: text there can say which line it is
// from.
func (t *Text) Splits(at token.Pos) bool { return !t.unplaced(at) }

// WithLines sets Lines if on is true, until the returned function is called.
func (t *Text) WithLines(on bool) (back func()) {
	lines := t.Lines
	t.Lines = lines || on
	return func() { t.Lines = lines }
}

// InLines sets Lines until back is called, if n has several lines. back returns the comments after
// which text goes on in the first and in the last of these lines.
func (t *Text) InLines(n ast.Node) (back func() (first, last string)) {
	first, last := t.Line(n.Pos()), t.Line(n.End())
	if t.unplaced(n.Pos()) || first == last {
		return func() (string, string) { return "", "" }
	}
	done := t.WithLines(true)
	return func() (string, string) {
		done()
		return edit.LineComment(first), edit.LineComment(last)
	}
}
