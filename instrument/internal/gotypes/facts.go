package gotypes

import (
	"go/types"

	"github.com/racepred/racepred/internal/funcname"
	"github.com/racepred/racepred/internal/library"
)

// FactsOf are the facts that package library has of a function.
func FactsOf(fn *types.Func) library.Facts {
	if fn.Pkg() == nil {
		return 0
	}
	return library.Of(fn.Pkg().Path(), funcname.Of(fn))
}

// FactsOfType are the facts that package library has of a type.
func FactsOfType(t types.Type) library.TypeFacts {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return 0
	}
	return library.OfType(named.Obj().Pkg().Path(), named.Obj().Name())
}
