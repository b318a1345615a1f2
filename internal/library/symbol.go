package library

import "strings"

// Contains reports whether a method, as the linker names it, is contained whatever its receiver was made of: (*bytes.Buffer).Write of package bytes. It makes nothing,
// as it is called while a program runs.
func Contains(symbol string) bool {
	slash := strings.LastIndexByte(symbol, '/') + 1
	dot := strings.IndexByte(symbol[slash:], '.')
	if dot < 0 {
		return false
	}
	path, method := symbol[:slash+dot], symbol[slash+dot+1:]
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
	for len(names) > 0 {
		var name string
		name, names, _ = strings.Cut(names, " ")
		if t == "" && name == m {
			return true
		}
		if n := len(t); t != "" && len(name) == n+1+len(m) && name[:n] == t && name[n] == '.' && name[n+1:] == m {
			return true
		}
	}
	return false
}
