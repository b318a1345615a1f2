package seam

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// Package sync/atomic is assembly that jumps to internal/runtime/atomic. In
// the seam its functions are Go: they record, do the same operation, and record. The compiler
// replaces calls of an exported function Xxx by instructions, so Xxx cannot record. Its twin
// hookXxx does: the methods of atomic.Int32 and the like call it, and so does Xxx itself, where
// the compiler makes real calls. RacepredSeenXxx is Xxx for rewritten code, and RacepredXxx is for
// rewritten code that throws the result of an addition or bit operation away.

// rawOps maps an operation and its operand to the function of
// internal/runtime/atomic that does it: name, the type it takes.
var rawOps = map[string]map[string][2]string{
	"Swap":           {"32": {"Xchg", "uint32"}, "64": {"Xchg64", "uint64"}, "ptr": {"Xchguintptr", "uintptr"}},
	"CompareAndSwap": {"32": {"Cas", "uint32"}, "64": {"Cas64", "uint64"}, "ptr": {"Casuintptr", "uintptr"}},
	"Add":            {"32": {"Xadd", "int32"}, "64": {"Xadd64", "int64"}, "ptr": {"Xadduintptr", "uintptr"}},
	"And":            {"32": {"And32", "uint32"}, "64": {"And64", "uint64"}, "ptr": {"Anduintptr", "uintptr"}},
	"Or":             {"32": {"Or32", "uint32"}, "64": {"Or64", "uint64"}, "ptr": {"Oruintptr", "uintptr"}},
	"Load":           {"32": {"Load", ""}, "64": {"Load64", ""}, "ptr": {"Loaduintptr", ""}},
	"Store":          {"32": {"Store", "uint32"}, "64": {"Store64", "uint64"}, "ptr": {"Storeuintptr", "uintptr"}},
}

// atomicOp is one exported function of package sync/atomic.
type atomicOp struct {
	Op, Type string // Add, int32; Pointer's type is unsafe.Pointer
}

func parseAtomicOp(name string) (op atomicOp, ok bool) {
	for prefix := range rawOps {
		if typ, found := strings.CutPrefix(name, prefix); found {
			switch typ {
			case "Int32", "Int64", "Uint32", "Uint64", "Uintptr":
				return atomicOp{prefix, strings.ToLower(typ)}, true
			case "Pointer":
				return atomicOp{prefix, "unsafe.Pointer"}, true
			}
		}
	}
	return op, false
}

func (o atomicOp) width() string {
	switch {
	case strings.HasSuffix(o.Type, "32"):
		return "32"
	case strings.HasSuffix(o.Type, "64"):
		return "64"
	}
	return "ptr"
}

// hook is the source of the hooked function of fn and of fn itself.
func (o atomicOp) hook(fn string) string {
	t := o.Type
	var params, args, result string
	switch o.Op {
	case "Load":
		params, args, result = "addr *"+t, "addr", t
	case "Store":
		params, args = "addr *"+t+", val "+t, "addr, val"
	case "CompareAndSwap":
		params, args, result = "addr *"+t+", old, new "+t, "addr, old, new", "bool"
	default:
		params, args, result = "addr *"+t+", val "+t, "addr, val", t
	}
	do := o.operation(fn)
	kind := "race.AtomicRMW"
	switch o.Op {
	case "Load":
		kind = "race.AtomicLoad"
	case "Store":
		kind = "race.AtomicStore"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func hook%s(%s) %s {\n", fn, params, orNamed(result))
	fmt.Fprintf(&b, "\t_ = *addr\n\th := race.AtomicBegin(unsafe.Pointer(addr))\n")
	if o.Op == "CompareAndSwap" {
		fmt.Fprintf(&b, "\tresult = %s\n\tkind := race.AtomicLoad\n\tif result {\n\t\tkind = race.AtomicRMW\n\t}\n", do)
		kind = "kind"
	} else if result != "" {
		fmt.Fprintf(&b, "\tresult = %s\n", do)
	} else {
		fmt.Fprintf(&b, "\t%s\n", do)
	}
	fmt.Fprintf(&b, "\trace.AtomicEnd(h, unsafe.Pointer(addr), unsafe.Sizeof(*addr), %s)\n", kind)
	if result != "" {
		b.WriteString("\treturn result\n")
	}
	b.WriteString("}\n\n")
	ret := ""
	if result != "" {
		ret = "return "
	}
	for _, name := range [...]string{fn, "RacepredSeen" + fn} {
		fmt.Fprintf(&b, "func %s(%s) %s { %shook%s(%s) }\n\n", name, params, orNamed(result), ret, fn, args)
	}
	b.WriteString(o.unseen(fn))
	return b.String()
}

// unseen is the source of fn, and of the method, for callers that throw the result away. Operations
// of one kind whose results are not observed may trade places.
func (o atomicOp) unseen(fn string) string {
	switch o.Op {
	case "Add", "And", "Or":
	default:
		return ""
	}
	named := strings.TrimPrefix(fn, o.Op)
	return fmt.Sprintf(`func Racepred%[1]s(addr *%[2]s, val %[2]s) %[2]s {
	_ = *addr
	h := race.AtomicBegin(unsafe.Pointer(addr))
	result := %[3]s
	race.AtomicEnd(h, unsafe.Pointer(addr), unsafe.Sizeof(*addr), race.Atomic%[4]s)
	return result
}

func (x *%[5]s) Racepred%[4]s(val %[2]s) %[2]s { return Racepred%[1]s(&x.v, val) }

`, fn, o.Type, o.operation(fn), o.Op, named)
}

func orNamed(result string) string {
	if result == "" {
		return ""
	}
	return "(result " + result + ")"
}

// operation is the expression that does the operation unrecorded.
func (o atomicOp) operation(fn string) string {
	if o.Type == "unsafe.Pointer" {
		switch o.Op {
		case "Load":
			return "rawLoadPointer(addr)"
		case "Store":
			return "rawStorePointer(addr, val)"
		case "Swap":
			return "rawSwapPointer(addr, val)"
		}
		return "rawCompareAndSwapPointer(addr, old, new)"
	}
	raw := rawOps[o.Op][o.width()]
	ptr := map[string]string{"32": "uint32", "64": "uint64", "ptr": "uintptr"}[o.width()]
	p := "(*" + ptr + ")(unsafe.Pointer(addr))"
	conv := func(x string) string { return raw[1] + "(" + x + ")" }
	call := "raceatomic." + raw[0] + "(" + p
	switch o.Op {
	case "Load":
		call += ")"
	case "CompareAndSwap":
		return call + ", " + conv("old") + ", " + conv("new") + ")"
	case "Store":
		return call + ", " + conv("val") + ")"
	default:
		call += ", " + conv("val") + ")"
	}
	return o.Type + "(" + call + ")"
}

// rawPointerOps are the operations that edits use, then those that package runtime reaches by name
// (nosplit, since nothing prevents preemption in between), and those that it provides.
const rawPointerOps = `
// RacepredLoadUint64 is a load whose result is only used by an operation that fails when the word has changed. So it observes nothing.
func RacepredLoadUint64(addr *uint64) uint64 { return raceatomic.Load64(addr) }

// RacepredCompareAndSwapUint64 is a compare-and-swap. If it is unseen, it commutes with its like: the rest of the word is not observed.
func RacepredCompareAndSwapUint64(addr *uint64, old, new uint64, unseen bool) (result bool) {
	if !unseen {
		return hookCompareAndSwapUint64(addr, old, new)
	}
	h := race.AtomicBegin(unsafe.Pointer(addr))
	result = raceatomic.Cas64(addr, old, new)
	kind := race.AtomicNone
	if result {
		kind = race.AtomicAdd
	}
	race.AtomicEnd(h, unsafe.Pointer(addr), unsafe.Sizeof(*addr), kind)
	return result
}

//go:linkname rawStoreUintptr
//go:nosplit
func rawStoreUintptr(addr *uintptr, val uintptr) { raceatomic.Storeuintptr(addr, val) }

//go:linkname rawSwapUintptr
//go:nosplit
func rawSwapUintptr(addr *uintptr, val uintptr) uintptr { return raceatomic.Xchguintptr(addr, val) }

//go:linkname rawCompareAndSwapUintptr
//go:nosplit
func rawCompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	return raceatomic.Casuintptr(addr, old, new)
}

// rawLoadPointer makes addr escape, as LoadPointer without a body does, and as the other operations with pointers do here. There is code that hides pointers
// from the compiler and calls LoadPointer to have a variable on the heap.
func rawLoadPointer(addr *unsafe.Pointer) unsafe.Pointer {
	if alwaysFalse {
		escaped = unsafe.Pointer(addr)
	}
	return raceatomic.Loadp(unsafe.Pointer(addr))
}

var (
	alwaysFalse bool
	escaped     unsafe.Pointer
)

func rawStorePointer(addr *unsafe.Pointer, val unsafe.Pointer)

func rawSwapPointer(addr *unsafe.Pointer, val unsafe.Pointer) unsafe.Pointer

func rawCompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool
`

// atomicFile rewrites one file of package sync/atomic: declarations without a body go (their names
// are collected), calls of them become calls of the hooked twin. So do the bodies of Value's
// methods.
func atomicFile(path string, src []byte) (out []byte, declared []string, err error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	off := func(p token.Pos) int { return fset.Position(p).Offset }
	b := []byte(string(src))
	blank := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	type insert struct {
		at   int
		text string
	}
	var inserts []insert
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if fn.Body == nil {
			if _, ok := parseAtomicOp(fn.Name.Name); !ok {
				continue
			}
			declared = append(declared, fn.Name.Name)
			if fn.Doc != nil {
				blank(off(fn.Doc.Pos()), off(fn.Doc.End()))
			}
			blank(off(fn.Pos()), off(fn.End()))
			continue
		}
		switch gone, err := ofValue(fn); {
		case err != nil:
			return nil, nil, err
		case gone:
			blank(off(fn.Body.Lbrace)+1, off(fn.Body.Rbrace))
			inserts = append(inserts, insert{off(fn.Body.Lbrace) + 1, valueCall(fn)})
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok {
					if _, ok := parseAtomicOp(id.Name); ok {
						inserts = append(inserts, insert{off(id.Pos()), "hook"})
					}
				}
			}
			return true
		})
	}
	var sb strings.Builder
	last := 0
	for _, in := range inserts {
		sb.Write(b[last:in.at])
		sb.WriteString(in.text)
		last = in.at
	}
	sb.Write(b[last:])
	if imports(tree, "unsafe") {
		sb.WriteString("\nvar _ unsafe.Pointer\n") // the declarations may have been its only use
	}
	return []byte(sb.String()), declared, nil
}

// atomicHooks is the file that holds the hooked functions.
func atomicHooks(declared []string) ([]byte, error) {
	var b strings.Builder
	b.WriteString("package atomic\n\nimport (\n\t\"internal/race\"\n\traceatomic \"internal/runtime/atomic\"\n\t\"unsafe\"\n)\n\n")
	for _, fn := range declared {
		op, ok := parseAtomicOp(fn)
		if !ok {
			return nil, fmt.Errorf("sync/atomic.%s: not an operation this version of racepred knows", fn)
		}
		b.WriteString(op.hook(fn))
	}
	b.WriteString(rawPointerOps)
	b.WriteString(valueSource)
	return []byte(b.String()), nil
}
