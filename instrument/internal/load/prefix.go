package load

import (
	"go/ast"
	"strconv"
	"strings"
)

// DirPrefixes finds for each directory a prefix for new names: no identifier of any package of the
// directory begins with it.
func DirPrefixes(loaded []*Package) map[string]string {
	taken := map[string]map[string]bool{}
	for _, p := range loaded {
		t := taken[p.Dir]
		if t == nil {
			t = map[string]bool{}
			taken[p.Dir] = t
		}
		for _, f := range p.Files {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "racepred") {
					t[id.Name] = true
				}
				return true
			})
		}
	}
	prefixes := map[string]string{}
	for dir, t := range taken {
		for n := 0; ; n++ {
			prefix := "racepred_"
			if n > 0 {
				prefix = "racepred" + strconv.Itoa(n) + "_"
			}
			clash := false
			for name := range t {
				clash = clash || strings.HasPrefix(name, prefix)
			}
			if !clash {
				prefixes[dir] = prefix
				break
			}
		}
	}
	return prefixes
}
