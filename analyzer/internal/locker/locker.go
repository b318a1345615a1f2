// Package locker knows locks by their methods.
package locker

import "go/types"

// Is reports whether a type has methods Lock and Unlock without parameters and results.
func Is(t types.Type) bool {
	for _, name := range []string{"Lock", "Unlock"} {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		fn, ok := obj.(*types.Func)
		if !ok || fn.Signature().Params().Len() > 0 || fn.Signature().Results().Len() > 0 {
			return false
		}
	}
	return true
}
