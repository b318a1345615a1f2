package vet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Diagnostic is one of go vet -json.
type Diagnostic struct {
	Analyzer string
	Package  string
	At       Position
	Message  string
	Related  []Related

	Confirmed string // by which finding of a run, in words; "" if there is none
}

// Related is another position that a diagnostic is about.
type Related struct {
	At      Position
	Message string
}

// Position is where in the source something is.
type Position struct {
	File         string
	Line, Column int
}

func position(posn string) (p Position) {
	rest, column, _ := cutLast(posn)
	if file, line, ok := cutLast(rest); ok {
		return Position{file, line, column}
	}
	return Position{rest, column, 0} // without a column
}

// cutLast takes the number behind the last colon.
func cutLast(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil {
		return s, 0, false
	}
	return s[:i], n, true
}

func (p Position) compare(q Position) int {
	return cmp.Or(strings.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Parse reads the output of go vet -json, a JSON object a package between other lines: the
// diagnostics, each once a package, by position, and the other lines. errs are what analyzers say
// that failed.
func Parse(out []byte) (all []Diagnostic, other []byte, errs []string) {
	for len(out) > 0 {
		start := 0
		if out[0] != '{' {
			if i := bytes.Index(out, []byte("\n{")); i >= 0 {
				start = i + 1
			} else {
				start = len(out)
			}
		}
		other = append(other, out[:start]...)
		if out = out[start:]; len(out) == 0 {
			break
		}
		var tree map[string]map[string]json.RawMessage
		d := json.NewDecoder(bytes.NewReader(out))
		if err := d.Decode(&tree); err != nil {
			other, out = append(other, out[0]), out[1:]
			continue
		}
		for id, byAnalyzer := range tree {
			path, _, _ := strings.Cut(id, " ") // "p [p.test]"
			for name, raw := range byAnalyzer {
				found, failed := decode(path, name, raw)
				all = append(all, found...)
				if failed != "" {
					errs = append(errs, path+": "+name+": "+failed)
				}
			}
		}
		out = bytes.TrimPrefix(out[d.InputOffset():], []byte("\n"))
	}
	slices.SortFunc(all, func(a, b Diagnostic) int {
		return cmp.Or(a.At.compare(b.At), strings.Compare(a.Analyzer, b.Analyzer), strings.Compare(a.Message, b.Message), strings.Compare(a.Package, b.Package))
	})
	slices.Sort(errs)
	same := func(a, b Diagnostic) bool {
		return a.At == b.At && a.Analyzer == b.Analyzer && a.Message == b.Message && a.Package == b.Package
	}
	return slices.CompactFunc(all, same), other, errs
}

// decode reads what one analyzer says of one package: an error, or its diagnostics.
func decode(path, name string, raw json.RawMessage) (all []Diagnostic, failed string) {
	var e struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(raw, &e) == nil {
		return nil, e.Error
	}
	var list []struct {
		Posn, Message string
		Related       []struct{ Posn, Message string }
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err.Error()
	}
	for _, l := range list {
		d := Diagnostic{Analyzer: name, Package: path, At: position(l.Posn), Message: l.Message}
		for _, r := range l.Related {
			d.Related = append(d.Related, Related{position(r.Posn), r.Message})
		}
		all = append(all, d)
	}
	return all, ""
}
