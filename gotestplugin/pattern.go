package gotestplugin

import (
	"path/filepath"
	"strings"
)

// matcher tells which packages a pattern of -gcflags or -deps matches, as
// the go command reads it (cmd/go/internal/load, MatchPackage):
//
// (T1) "all" is every package, "std" and "cmd" those of the toolchain;
// (T2) a pattern that begins with "." or is absolute matches directories;
// (T3) otherwise the import path is meant; "..." is any string, "/..." at the
// end matches the empty string too.
func matcher(pattern, dir string) func(*goPackage) bool {
	switch pattern {
	case "all": // (T1)
		return func(*goPackage) bool { return true }
	case "std":
		return func(p *goPackage) bool { return p.Standard }
	case "cmd":
		return func(p *goPackage) bool { return p.Standard && strings.HasPrefix(p.flagsPath(), "cmd/") }
	}
	if isLocal(pattern) { // (T2)
		root := pattern
		if !filepath.IsAbs(root) {
			root = filepath.Join(dir, pattern)
		}
		match := glob(filepath.ToSlash(filepath.Clean(root)))
		return func(p *goPackage) bool { return p.Dir != "" && match(filepath.ToSlash(p.Dir)) }
	}
	match := glob(pattern) // (T3)
	return func(p *goPackage) bool { return match(p.flagsPath()) }
}

func isLocal(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") ||
		strings.HasPrefix(pattern, "../") || filepath.IsAbs(pattern)
}

// glob matches names against a pattern with "..." in it.
func glob(pattern string) func(string) bool {
	parts := strings.Split(pattern, "...")
	return func(name string) bool {
		if base, ok := strings.CutSuffix(pattern, "/..."); ok && name == base && !strings.Contains(base, "...") {
			return true
		}
		rest, ok := strings.CutPrefix(name, parts[0])
		if !ok {
			return false
		}
		if len(parts) == 1 {
			return rest == ""
		}
		for _, mid := range parts[1 : len(parts)-1] {
			i := strings.Index(rest, mid)
			if i < 0 {
				return false
			}
			rest = rest[i+len(mid):]
		}
		return strings.HasSuffix(rest, parts[len(parts)-1])
	}
}
