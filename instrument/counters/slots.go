package counters

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// Slots are the offsets at which the cover tool could insert something into a file, in order, each
// once.
func Slots(tok *token.File, file *ast.File, src []byte) []int {
	at := []int{tok.Offset(file.Name.End())} // imports
	add := func(pos token.Pos) { at = append(at, tok.Offset(pos)) }
	list := func(begin token.Pos, stmts []ast.Stmt) {
		add(begin)
		for _, s := range stmts {
			add(s.Pos())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			list(n.Lbrace+1, n.List)
		case *ast.CaseClause:
			list(n.Colon+1, n.Body)
		case *ast.CommClause:
			list(n.Colon+1, n.Body)
		case *ast.LabeledStmt:
			add(n.Stmt.Pos())
		}
		return true
	})
	for _, e := range elses(tok, file, src) {
		at = append(at, e.open, e.open+1, e.close)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// Complete reports whether a template has all slots.
func Complete(template []byte, slots []int) bool {
	there := map[int]bool{}
	err := each(template, discard, func(at int) { there[at] = true })
	return err == nil && !slices.ContainsFunc(slots, func(at int) bool { return !there[at] })
}

// mark is the text of a slot. No Go source has a NUL byte.
const mark = "\x00"

// Slot is the text in place of a slot in a template.
func Slot(offset int) string { return mark + strconv.Itoa(offset) + mark }

// braces are the offsets of what the cover tool puts around an else branch: { right behind the
// word, and } at the end.
type braces struct{ open, close int }

// elses finds the else branches that the cover tool puts into a block: all that are not in a
// function named _.
func elses(tok *token.File, file *ast.File, src []byte) (found []braces) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Name.Name != "_"
		case *ast.IfStmt:
			if n.Else != nil {
				from := tok.Offset(n.Body.End())
				found = append(found, braces{from + word(src[from:tok.Offset(n.Else.Pos())]), tok.Offset(n.Else.End())})
			}
		}
		return true
	})
	return found
}

// word is how many bytes there are up to the end of the word else, comments included.
func word(src []byte) int {
	const word = "else"
	for i := 0; i < len(src); {
		end := ""
		switch rest := src[i:]; {
		case bytes.HasPrefix(rest, []byte(word)):
			return i + len(word)
		case bytes.HasPrefix(rest, []byte("//")):
			end = "\n"
		case bytes.HasPrefix(rest, []byte("/*")):
			end = "*/"
		}
		i++
		if end != "" {
			i += bytes.Index(src[i+1:], []byte(end)) + 1 + len(end)
		}
	}
	return len(src)
}
