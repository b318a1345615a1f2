//go:build racepred_seam

package runtime

import "unsafe"

// rpInitOrder is the order in which packages are initialized: as usual, but those of the standard
// library come first. Without that a package that needs few others is initialized before the
// engine, which then finds all that it did at once, however much that is. The library needs no
// other packages, so each package still comes after those that it needs.
func rpInitOrder(tasks []*initTask) []*initTask {
	ordered := make([]*initTask, 0, len(tasks))
	for _, standard := range [...]bool{true, false} {
		for _, t := range tasks {
			if t.ofStandard() == standard {
				ordered = append(ordered, t)
			}
		}
	}
	return ordered
}

// ofStandard reports whether a package is of the standard library. One that has nothing to
// initialize may count as either.
func (t *initTask) ofStandard() bool {
	if t.nfns == 0 {
		return false
	}
	pc := *(*uintptr)(add(unsafe.Pointer(t), 8)) // the first function
	return rpIsStandard(rpPackageOf(funcname(findfunc(pc))))
}

// rpIsStandard reports whether a path is one of the standard library's packages, or of the
// engine's, which are laid there.
func rpIsStandard(path string) bool {
	const engine = "internal/racepred/"
	if len(path) > len(engine) && path[:len(engine)] == engine {
		return true
	}
	from, to := 0, len(rpLibraryPackages)
	for from < to {
		if mid := (from + to) / 2; rpLibraryPackages[mid] < path {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from < len(rpLibraryPackages) && rpLibraryPackages[from] == path
}
