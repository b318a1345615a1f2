package report

import (
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/symbol"
)

// FingerprintVersion is the version of the rules below: a change that gives findings other
// fingerprints makes it one more (TestFingerprintsStay). Files with fingerprints say of which
// version they are; those of version 1 do not.
const FingerprintVersion = 2

// Fingerprint names a finding so that it stays the same across runs, machines
// and unrelated edits:
//
// (F1) it is made of the kind and the accesses' (package, function, variable, operation), in any
// order unless the kind has one, and for a goroutine that waits, the function that it was started
// with;
// (F2) it holds no line, column, address, goroutine, test or predictor;
// (F3) the numbers the compiler gives to function literals (F.func1.2) and the
// type arguments of generic functions are left out, since an edit elsewhere in
// the function renumbers them;
// (F4) a variable is an access's expression without what it takes of a slice, an array or a map,
// and without what is between brackets elsewhere: which element, and whether the length or an
// element was accessed first, differs from run to run;
// (F5) neither does it say whether an access reads or writes, since a run sees either half of x++
// first. So a race of a read with a write and one of two writes are one finding if variable and
// functions are the same.
//
// The functions' names are those of the linker: in unescaped ones, a package with a dot in the last
// element of its path has some of it in the function's name, and (F3) may leave that out.
//
// It is 16 hexadecimal digits of FNV-1a (64 bit).
func Fingerprint(f *Finding) string {
	parts := make([]string, 0, len(f.Accesses))
	for i := range f.Accesses {
		a := &f.Accesses[i]
		part := stableFunc(a) + "\x00" + stableExpr(a.Expr) + "\x00" + stableOp(a.Op)
		if f.Kind.Waits() && len(a.Stack) > 0 {
			part += "\x00" + stableName(a.Stack[len(a.Stack)-1].Func)
		}
		parts = append(parts, part)
	}
	if !f.Kind.Ordered() { // (F1)
		slices.Sort(parts)
	}

	h := fnvOffset
	h = fnv(h, string(f.Kind))
	for _, p := range parts {
		h = fnv(h, "\x01")
		h = fnv(h, p)
	}
	var b [16]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = hexDigits[h&15]
		h >>= 4
	}
	return string(b[:])
}

// stableFunc is the access's function with its package, as the access's frame
// names it, without what (F3) leaves out.
func stableFunc(a *Access) string {
	name := a.Func
	if i := a.frame(); i >= 0 && a.Stack[i].Func != "" {
		name = a.Stack[i].Func
	}
	return stableName(name)
}

func stableName(name string) string {
	path, name := symbol.Split(name)
	var kept []string
	if path != "" {
		kept = append(kept, path)
	}
	for e := range strings.SplitSeq(dropBrackets(name), ".") {
		switch {
		case isDigits(e):
			continue
		case isLiteral(e):
			e = strings.TrimRight(e, "0123456789")
		}
		kept = append(kept, e)
	}
	return strings.Join(kept, ".")
}

// stableOp is (F5).
func stableOp(op string) string {
	for _, half := range [...]string{"read", "write"} {
		if of, ok := strings.CutSuffix(op, half); ok {
			return of + "access"
		}
	}
	return op
}

// stableExpr is (F4).
func stableExpr(expr string) string {
	for {
		switch {
		case strings.HasSuffix(expr, "]") && opening(expr) > 0:
			expr = expr[:opening(expr)]
		case (strings.HasPrefix(expr, "len(") || strings.HasPrefix(expr, "cap(")) && opening(expr) == len("len"):
			expr = expr[len("len(") : len(expr)-1]
		case strings.HasPrefix(expr, "(") && opening(expr) == 0:
			expr = expr[1 : len(expr)-1]
		default:
			return dropBrackets(expr)
		}
	}
}

// opening is the index of the bracket that the last character of expr closes, -1 if it closes none.
func opening(expr string) int {
	depth := 0
	for i := len(expr) - 1; i >= 0; i-- {
		switch expr[i] {
		case ']', ')':
			depth++
		case '[', '(':
			depth--
		}
		if depth == 0 {
			if expr[i] == '[' || expr[i] == '(' {
				return i
			}
			return -1
		}
	}
	return -1
}

// isLiteral reports whether e is the compiler's name of a function literal:
// func1, gowrap2, deferwrap3.
func isLiteral(e string) bool {
	for _, prefix := range [...]string{"func", "gowrap", "deferwrap"} {
		if rest, ok := strings.CutPrefix(e, prefix); ok && isDigits(rest) {
			return true
		}
	}
	return false
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// dropBrackets removes every bracketed part: "Map[go.shape.int].Get" is "Map.Get".
func dropBrackets(s string) string {
	if !strings.Contains(s, "[") {
		return s
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		default:
			if depth == 0 {
				b.WriteByte(s[i])
			}
		}
	}
	return b.String()
}

const (
	fnvOffset uint64 = 14695981039346656037
	fnvPrime  uint64 = 1099511628211
)

func fnv(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

const hexDigits = "0123456789abcdef"

// frame is the index of the frame that names the access: the first one at its
// position (deeper ones are the library's), or the innermost; -1 without a stack.
func (a *Access) frame() int {
	for i, f := range a.Stack {
		if f.File == a.File && f.Line == a.Line {
			return i
		}
	}
	return min(0, len(a.Stack)-1)
}
