package counters

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"regexp"
)

// Insertion is text that the cover tool inserted, and the offset of the original's byte that comes
// after it.
type Insertion struct {
	Offset int
	Text   string
}

// File is a file as the cover tool changed it.
type File struct {
	Head       string // the line before the first: it names the original
	Insertions []Insertion
	Tail       string // declarations after the last line
}

// Read finds the insertions that make covered of the original. The mode is that of the cover tool's
// flag -mode; name begins the names of its variables, as its flag -var says. A difference that Read
// cannot explain is an error. (K3)
func Read(original, covered []byte, mode, name string) (*File, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "", original, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	head, rest, ok := bytes.Cut(covered, []byte("\n"))
	if !ok || !bytes.HasPrefix(head, []byte("//line ")) {
		return nil, fmt.Errorf("the cover tool's output does not begin with a line directive")
	}
	tok := fset.File(syntax.FileStart)
	r := &reader{original: original, rest: rest, counter: counter(name), braces: map[int]map[byte]int{}}
	if mode != "regonly" && mode != "testmain" { // which have no counters
		for _, e := range elses(tok, syntax, original) {
			r.brace(e.open, '{')
			r.brace(e.close, '}')
		}
	}
	r.imports = tok.Offset(syntax.Name.End())
	f := &File{Head: string(head) + "\n"}
	for at := 0; ; at++ {
		if text := r.insertion(at); text != "" {
			f.Insertions = append(f.Insertions, Insertion{at, text})
		}
		switch {
		case at == len(original):
			f.Tail = string(r.rest)
			return f, r.complete()
		case len(r.rest) == 0 || r.rest[0] != original[at]:
			return nil, fmt.Errorf("the cover tool's output differs at line %d: %.80q in the place of %.20q",
				1+bytes.Count(original[:at], []byte("\n")), r.rest, original[at:])
		}
		r.rest = r.rest[1:]
	}
}

// reader goes through an original and its covered form.
type reader struct {
	original []byte
	rest     []byte // of the covered form
	counter  *regexp.Regexp
	braces   map[int]map[byte]int // how many of them the cover tool inserts, by offset
	imports  int                  // where it inserts imports
}

func (r *reader) brace(at int, b byte) {
	if r.braces[at] == nil {
		r.braces[at] = map[byte]int{}
	}
	r.braces[at][b]++
}

// counter matches one statement of the cover tool: of mode set, count or atomic, or what a function
// begins with.
func counter(name string) *regexp.Regexp {
	name = regexp.QuoteMeta(name)
	word := name + `_\d+\[\d+\]`
	value := `(?:\d+|` + name + `P|uint32\(\d+\))`
	return regexp.MustCompile(`^(?:` + word + `(?: = ` + value + `|\+\+)` +
		`|(?:_cover_atomic_\.)?(?:AddUint32\(&` + word + `, 1\)|StoreUint32\(&` + word + `, ` + value + `\)))(?: ; |;)`)
}

// imports of the cover tool.
var imports = []string{`; import _cover_atomic_ "sync/atomic"`, `; import _ "runtime/coverage"`}

// insertion takes what was inserted before the byte at an offset.
func (r *reader) insertion(at int) string {
	before := r.rest
	if at == r.imports {
		for _, text := range imports {
			r.rest = bytes.TrimPrefix(r.rest, []byte(text))
		}
	}
	for {
		n := 0
		if left := r.braces[at]; len(r.rest) > 0 && left[r.rest[0]] > 0 {
			left[r.rest[0]]--
			n = 1
		} else if b := r.first(); b == 'g' || b == '_' || b == 'A' || b == 'S' {
			n = len(r.counter.Find(r.rest))
		}
		if n == 0 {
			return string(before[:len(before)-len(r.rest)])
		}
		r.rest = r.rest[n:]
	}
}

func (r *reader) first() byte {
	if len(r.rest) == 0 {
		return 0
	}
	return r.rest[0]
}

// complete reports whether all braces were there.
func (r *reader) complete() error {
	for at, left := range r.braces {
		for b, n := range left {
			if n > 0 {
				return fmt.Errorf("the cover tool left out %q at offset %d", b, at)
			}
		}
	}
	return nil
}
