package library

import (
	"strings"

	"github.com/racepred/racepred/internal/symbol"
)

// Contains reports whether a method, as the linker names it, is contained whatever its receiver was
// made of: (*bytes.Buffer).Write of package bytes. It makes nothing, as it is called while a
// program runs.
func Contains(name string) bool {
	path, method := symbol.Split(name)
	var star string // the method of a pointer is written (*T).M
	if rest, ok := strings.CutPrefix(method, "(*"); ok {
		star, method, _ = strings.Cut(rest, ").")
	}
	found := false
	for _, group := range rows() {
		for i := range group {
			r := &group[i]
			if r.path != path || !lists(r.names, star, method) {
				continue
			}
			if r.facts&(OfSource|CallsBack|FromPool) != 0 {
				return false
			}
			found = found || r.facts&(Contained|Told) != 0
		}
	}
	return found
}

// lists reports whether names has T.M, where t is T, or t is "" and m is T.M.
func lists(names, t, m string) bool {
	for name := range strings.SplitSeq(names, " ") {
		if t == "" && name == m {
			return true
		}
		if recv, method, _ := strings.Cut(name, "."); t != "" && recv == t && method == m {
			return true
		}
	}
	return false
}
