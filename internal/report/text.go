package report

import (
	"slices"
	"strconv"
	"strings"
)

const ruler = "==================\n"

// AppendText appends f as a user of go test -race expects to see it: the
// headline between rulers, both accesses with their stacks, the later one first, the goroutines'
// creation stacks. On top of that come the verdict, the names of the variable and of the
// locks held, and for a predicted finding its schedule. Files beneath root
// are written relative to it; root may be empty.
func AppendText(b []byte, f *Finding, root string) []byte {
	t := text{b: b, root: root}
	t.add(ruler, "WARNING: ", kinds[f.Kind].title, "\n")
	t.verdict(f)
	accesses := f.Accesses
	if kinds[f.Kind].backwards {
		accesses = slices.Clone(accesses)
		slices.Reverse(accesses)
	}
	for i := range accesses {
		t.add("\n")
		further := ""
		if i > 0 {
			further = kinds[f.Kind].further
		}
		t.access(&accesses[i], further)
	}
	t.creations(accesses)
	t.also(f)
	if f.Witness != nil {
		t.add("\n")
		t.schedule(f)
	}
	t.add(ruler)
	return t.b
}

// text is a report being written.
type text struct {
	b    []byte
	root string
}

func (t *text) add(parts ...string) {
	for _, p := range parts {
		t.b = append(t.b, p...)
	}
}

func (t *text) verdict(f *Finding) {
	t.add(f.Sentence(), "\n")
	switch {
	case f.Variable != "" && f.Test != "":
		t.add("Variable ", f.Variable, ", in ", f.Test, ".\n")
	case f.Variable != "":
		t.add("Variable ", f.Variable, ".\n")
	case f.Test != "":
		t.add("In ", f.Test, ".\n")
	}
	if f.Unit != nil {
		t.add(f.Unit.Sentence(t.root), "\n")
	}
	if f.Note != "" {
		t.add("Note: ", f.Note, "\n")
	}
	if f.Vet != "" {
		t.add("The source alone shows it, too: ", f.Vet, "\n")
	}
	if f.Waived != "" {
		t.add("This fails nothing: ", f.Waived, "\n")
	}
}

// access writes an access: what, where in memory, by whom, its stack and
// the locks held.
func (t *text) access(a *Access, further string) {
	op := further + a.Op
	t.add(strings.ToUpper(op[:min(1, len(op))]), op[min(1, len(op)):])
	if a.Addr != 0 {
		t.add(" at 0x")
		t.hex12(a.Addr)
	}
	t.add(a.Who(), ":\n")
	stack := a.Stack
	if len(stack) == 0 {
		stack = []Frame{{Func: a.Func, File: a.File, Line: a.Line}}
	}
	at := max(a.frame(), 0)
	t.stack(stack[:at])
	t.frame(stack[at], a.Expr)
	t.stack(stack[at+1 : runner(stack, at+1)])
	for _, l := range a.Locks {
		t.add("  ", l.Holding(t.root), "\n")
	}
}

// creations writes where each goroutine of the accesses was started, once each.
func (t *text) creations(accesses []Access) {
	for i := range accesses {
		a := &accesses[i]
		if len(a.Created) == 0 || seenBefore(accesses[:i], a.Goroutine) {
			continue
		}
		t.add("\nGoroutine ", strconv.Itoa(a.Goroutine), " created at:\n")
		t.stack(WithoutRunner(a.Created))
	}
}

// AboveRunner is a stack without the outermost frames that are of package testing or of the
// runtime: what they call is a test, or main. The innermost frame stays.
func AboveRunner(stack []Frame) []Frame { return stack[:runner(stack, min(1, len(stack)))] }

// runner is the index, from least on, of the first frame that AboveRunner leaves out.
func runner(stack []Frame, least int) int {
	n := len(stack)
	for n > least && (isRunner(stack[n-1].Func) || n < len(stack) && strings.HasPrefix(stack[n-1].Func, "reflect.")) { // a fuzz target is called by package reflect
		n--
	}
	return n
}

func isRunner(name string) bool {
	return strings.HasPrefix(name, "testing.") || strings.HasPrefix(name, "runtime.")
}

// WithoutRunner is the stack of a goroutine's creation without what package testing and the runtime
// have below every test.
func WithoutRunner(stack []Frame) []Frame {
	for i := 1; i < len(stack); i++ {
		if isRunner(stack[i].Func) {
			return stack[:i]
		}
	}
	return stack
}

func seenBefore(accesses []Access, goroutine int) bool {
	for i := range accesses {
		if accesses[i].Goroutine == goroutine {
			return true
		}
	}
	return false
}

func (t *text) stack(frames []Frame) {
	for _, f := range frames {
		t.frame(f, "")
	}
}

// frame writes one frame, with the accessed expression where it is known:
// -race writes an offset there.
func (t *text) frame(f Frame, expr string) {
	name := f.Func
	if name == "" {
		name = "?"
	}
	if !strings.Contains(name, " ") { // the location in a trace is no function
		name += "()"
	}
	t.add("  ", name, "\n      ", t.rel(f.File), ":", strconv.Itoa(f.Line))
	if expr != "" {
		t.add("  // ", expr)
	}
	t.add("\n")
}

// rel is file relative to the root when it lies beneath it.
func (t *text) rel(file string) string { return Rel(t.root, file) }

// Rel is file relative to root, slash-separated, when it lies beneath it, and
// file as it is otherwise.
func Rel(root, file string) string {
	rest, ok := strings.CutPrefix(file, strings.TrimRight(root, `/\`))
	if root == "" || !ok || len(rest) < 2 || rest[0] != '/' && rest[0] != '\\' {
		return file
	}
	return strings.ReplaceAll(rest[1:], `\`, "/")
}

// hex12 writes an address with at least 12 digits, as -race does.
func (t *text) hex12(a uint64) {
	var b [16]byte
	n := len(b)
	for a != 0 || n > len(b)-12 {
		n--
		b[n] = hexDigits[a&15]
		a >>= 4
	}
	t.b = append(t.b, b[n:]...)
}
