// Package locker knows locks by their methods, and functions that need one by what they say.
package locker

import (
	"go/ast"
	"go/types"
	"regexp"
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

// Documented reports whether a function says, in its name or its comment, that its caller has the lock, or that nobody else may use the object.
func Documented(d *ast.FuncDecl) bool {
	return Named(d.Name.Name) || needsLock.MatchString(strings.Join(strings.Fields(d.Doc.Text()), " "))
}

// Named reports whether the name of a function or a type says so.
func Named(name string) bool { return needsLockName.MatchString(name) }
