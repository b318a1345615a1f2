package seam

import (
	"fmt"
	"go/ast"
	"strings"
)

// A Value of package sync/atomic is two words: the type, which the first Store sets for good, and
// the data. A method does several atomic operations, but is one operation for its callers. So it is
// recorded as one operation on the address of the Value: its result depends only on the order of
// the methods. The operations themselves are those of the standard library. A method ends its
// record before it panics or compares, which may run other code.

// valueMethods are the methods for which valueSource has a twin, hookLoadValue and so on.
var valueMethods = map[string]bool{"Load": true, "Store": true, "Swap": true, "CompareAndSwap": true}

// ofValue reports whether fn is a method of Value, whose body is to be a call of its twin.
func ofValue(fn *ast.FuncDecl) (bool, error) {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return false, nil
	}
	star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false, nil
	}
	if id, ok := star.X.(*ast.Ident); !ok || id.Name != "Value" {
		return false, nil
	}
	if !valueMethods[fn.Name.Name] {
		return false, fmt.Errorf("sync/atomic.Value.%s: not a method this version of racepred knows", fn.Name.Name)
	}
	return true, nil
}

// valueCall is the call of a method's twin.
func valueCall(fn *ast.FuncDecl) string {
	args := []string{fn.Recv.List[0].Names[0].Name}
	for _, p := range fn.Type.Params.List {
		for _, name := range p.Names {
			args = append(args, name.Name)
		}
	}
	call := "hook" + fn.Name.Name + "Value(" + strings.Join(args, ", ") + ")"
	if fn.Type.Results != nil {
		call = "return " + call
	}
	return " " + call + " "
}

// valueSource is the twins of the methods of Value.
const valueSource = `
func hookLoadValue(v *Value) (val any) {
	_ = *v
	h := race.AtomicBegin(unsafe.Pointer(v))
	val = rawLoadValue(v)
	endOfValue(h, v, race.AtomicLoad)
	return val
}

func hookStoreValue(v *Value, val any) {
	if val == nil {
		panic("sync/atomic: store of nil value into Value")
	}
	if _, ok := hookOnValue(v, val, race.AtomicStore); !ok {
		panic("sync/atomic: store of inconsistently typed value into Value")
	}
}

func hookSwapValue(v *Value, new any) (old any) {
	if new == nil {
		panic("sync/atomic: swap of nil value into Value")
	}
	old, ok := hookOnValue(v, new, race.AtomicRMW)
	if !ok {
		panic("sync/atomic: swap of inconsistently typed value into Value")
	}
	return old
}

func hookCompareAndSwapValue(v *Value, old, new any) bool {
	if new == nil {
		panic("sync/atomic: compare and swap of nil value into Value")
	}
	vp, np, op := (*efaceWords)(unsafe.Pointer(v)), (*efaceWords)(unsafe.Pointer(&new)), (*efaceWords)(unsafe.Pointer(&old))
	if op.typ != nil && np.typ != op.typ {
		panic("sync/atomic: compare and swap of inconsistently typed values")
	}
	for {
		now := rawLoadValue(v)
		typ := (*efaceWords)(unsafe.Pointer(&now)).typ
		if typ != nil && typ != np.typ {
			panic("sync/atomic: compare and swap of inconsistently typed value into Value")
		}
		data := (*efaceWords)(unsafe.Pointer(&now)).data
		same := now == old
		h := race.AtomicBegin(unsafe.Pointer(v))
		switch last := rawLoadValue(v); {
		case typ == nil && same:
			if (*efaceWords)(unsafe.Pointer(&last)).typ == nil && rawFirstOfValue(v, np) {
				endOfValue(h, v, race.AtomicRMW)
				return true
			}
		case (*efaceWords)(unsafe.Pointer(&last)).typ != typ || (*efaceWords)(unsafe.Pointer(&last)).data != data:
		case !same:
			endOfValue(h, v, race.AtomicLoad)
			return false
		case rawCompareAndSwapPointer(&vp.data, data, np.data):
			endOfValue(h, v, race.AtomicRMW)
			return true
		}
		endOfValue(h, v, race.AtomicNone) // the value has changed in the meantime
	}
}

// hookOnValue stores new as an operation of a kind. It returns false if the Value has another type; then it has only observed that.
func hookOnValue(v *Value, new any, kind int) (old any, ok bool) {
	_ = *v
	h := race.AtomicBegin(unsafe.Pointer(v))
	if old, ok = rawSwapValue(v, new); !ok {
		kind = race.AtomicLoad
	}
	endOfValue(h, v, kind)
	return old, ok
}

func endOfValue(h uintptr, v *Value, kind int) {
	race.AtomicEnd(h, unsafe.Pointer(v), unsafe.Sizeof(uintptr(0)), kind)
}

func rawLoadValue(v *Value) (val any) {
	vp := (*efaceWords)(unsafe.Pointer(v))
	typ := rawLoadPointer(&vp.typ)
	if typ == nil || typ == unsafe.Pointer(&firstStoreInProgress) {
		return nil
	}
	data := rawLoadPointer(&vp.data)
	vlp := (*efaceWords)(unsafe.Pointer(&val))
	vlp.typ = typ
	vlp.data = data
	return val
}

func rawSwapValue(v *Value, new any) (old any, ok bool) {
	vp, np := (*efaceWords)(unsafe.Pointer(v)), (*efaceWords)(unsafe.Pointer(&new))
	for {
		switch typ := raceatomic.Loadp(unsafe.Pointer(&vp.typ)); typ {
		case nil:
			if rawFirstOfValue(v, np) {
				return nil, true
			}
		case unsafe.Pointer(&firstStoreInProgress):
		case np.typ:
			op := (*efaceWords)(unsafe.Pointer(&old))
			op.typ, op.data = typ, rawSwapPointer(&vp.data, np.data)
			return old, true
		default:
			return nil, false
		}
	}
}

// rawFirstOfValue is the first store, unless there is one.
func rawFirstOfValue(v *Value, np *efaceWords) bool {
	vp := (*efaceWords)(unsafe.Pointer(v))
	runtime_procPin()
	first := rawCompareAndSwapPointer(&vp.typ, nil, unsafe.Pointer(&firstStoreInProgress))
	if first {
		rawStorePointer(&vp.data, np.data)
		rawStorePointer(&vp.typ, np.typ)
	}
	runtime_procUnpin()
	return first
}
`
