package library

import "go/types"

// onlyValues says whether a call has only values: no parameter, nor the receiver, leads
// to memory of the caller. Strings do not change.
func onlyValues(sig *types.Signature) bool {
	if recv := sig.Recv(); recv != nil && !valueOnly(recv.Type(), 0) {
		return false
	}
	for p := range sig.Params().Variables() {
		if !valueOnly(p.Type(), 0) {
			return false
		}
	}
	return true
}

func valueOnly(t types.Type, depth int) bool {
	if depth > 8 {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Array:
		return valueOnly(t.Elem(), depth+1)
	case *types.Struct:
		for f := range t.Fields() {
			if !valueOnly(f.Type(), depth+1) && !(f.Pkg() != nil && f.Pkg().Path() == "time" && f.Name() == "loc") { // time.Time's location never changes
				return false
			}
		}
		return true
	}
	return false
}
