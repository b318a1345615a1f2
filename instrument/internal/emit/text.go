package emit

import (
	"go/ast"
	"go/token"

	"github.com/racepred/racepred/instrument/internal/edit"
)

// Text is the text that is written: the file itself, or a part of it for another place.
type Text struct {
	*File
	Edits *[]edit.Edit
	Lines bool // text that is moved to another line says which line it is from
	apart bool // it is made for another place
}

// In is the text of the file itself.
func In(f *File, edits *[]edit.Edit) Text { return Text{File: f, Edits: edits} }

// Apart is text for another place, without edits so far.
func (t *Text) Apart() Text {
	return Text{File: t.File, Edits: &[]edit.Edit{}, Lines: t.Lines, apart: true}
}

// Insert puts text before the byte at pos. Inserts at one place keep their
// order, so what goes around an expression is put in before what goes around its parts.
func (t *Text) Insert(rule edit.Rule, pos token.Pos, text string) {
	t.add(edit.Edit{Off: t.Off(pos), Text: text, Rule: rule})
}

// Ahead puts text of the head of a loop or case at the beginning of its body.
func (t *Text) Ahead(rule edit.Rule, pos token.Pos, text string) {
	t.add(edit.Edit{Off: t.Off(pos), Text: text, Rule: rule, Ahead: true})
}

// Replace puts text in place of a node. Line ends of the node go before the
// text, where they end no statement.
func (t *Text) Replace(rule edit.Rule, n ast.Node, text string) {
	t.Exchange(rule, n.Pos(), n.End(), edit.Newlines([]byte(t.Written(n)))+text)
}

// Exchange puts text, which has all line ends of the original, in place of what is between two
// positions.
func (t *Text) Exchange(rule edit.Rule, from, to token.Pos, text string) {
	t.add(edit.Edit{Off: t.Off(from), Del: t.Off(to) - t.Off(from), Rule: rule, Text: text})
}

// Around puts text before a node, visits it and puts text after it.
func (t *Text) Around(rule edit.Rule, n ast.Node, before string, visit func(), after string) {
	t.Insert(rule, n.Pos(), before)
	visit()
	t.Insert(rule, n.End(), after)
}

func (t *Text) add(e edit.Edit) { *t.Edits = append(*t.Edits, e) }

// A Gap is a place in front of a node that text can be put into when what comes after it has been
// visited.
type Gap struct {
	edits *[]edit.Edit
	at    int
}

// Gap leaves a gap in front of what is visited next.
func (t *Text) Gap(pos token.Pos) Gap {
	t.Insert("", pos, "")
	return Gap{t.Edits, len(*t.Edits) - 1}
}

// In reports whether the gap is one of the text.
func (g Gap) In(t Text) bool { return g.edits == t.Edits }

// Empty reports whether nothing was put into the gap.
func (g Gap) Empty() bool { return (*g.edits)[g.at].Text == "" }

// Fill puts text into the gap, before what was put there earlier.
func (g Gap) Fill(rule edit.Rule, text string) {
	e := &(*g.edits)[g.at]
	e.Text, e.Rule = text+e.Text, rule
}

// Append puts text into the gap, after what was put there earlier.
func (g Gap) Append(rule edit.Rule, text string) {
	e := &(*g.edits)[g.at]
	e.Text, e.Rule = e.Text+text, rule
}
