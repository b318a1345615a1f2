// Package locker recognizes locks by their methods, and functions that need one by their names and
// comments.
package locker

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

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

var (
	needsLock     = regexp.MustCompile(`(?i)\b(must|should|requires?|needs?|assum\w+|callers?|called|call|with|when|while|expects?|if|under|already)\b[^.]*\b(hold|holds|held|holding|lock|locks|locked|mutex)\b|(\bnot|n't|\bnon)( need to be)?[ -](thread|goroutine|concurren|safe)|without (lock|synchron)|not safe`)
	needsLockName = regexp.MustCompile(`(?i)(locked|nolock|unlocked|withlock|unsafe|lockheld|nonlocking|underlock)$|(?i)^(locked|unlocked|unsafe|nolock)`)
)

// Documented reports whether a function says, in its name or its comment, that its caller has the
// lock, or that no other goroutine may use the object.
func Documented(d *ast.FuncDecl) bool {
	return Named(d.Name.Name) || needsLock.MatchString(strings.Join(strings.Fields(d.Doc.Text()), " "))
}

var oneAtATime = regexp.MustCompile(`(?i)(\bnot|n't) (be |itself )?(safe|intended|meant) (for|to)\b[^.,;]*\b(concurren|simultaneous|multiple goroutines|several goroutines|parallel)|(\bnot|n't) (goroutine|thread|concurrency)[- ]?safe|(must|may|can|should|do)( not|n't) (be )?(used?|called?|shared?|accessed?) (concurrently|simultaneously|by (multiple|several) goroutines)`)

var concurrency = []string{"oncurren", "imultaneous", "goroutine", "hread", "arallel"} // without one of them oneAtATime matches nothing, and is slow

// Unsafe are the types whose comment says that one goroutine at a time may use what is of them.
func Unsafe(info *types.Info, files []*ast.File) map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				t, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				doc := t.Doc
				if doc == nil && len(gen.Specs) == 1 {
					doc = gen.Doc
				}
				text := strings.Join(strings.Fields(doc.Text()), " ")
				mentions := func(word string) bool { return strings.Contains(text, word) }
				if slices.ContainsFunc(concurrency, mentions) && oneAtATime.MatchString(text) {
					all[info.Defs[t.Name]] = true
				}
			}
		}
	}
	return all
}

// Named reports whether the name of a function or a type says so.
func Named(name string) bool { return needsLockName.MatchString(name) }
