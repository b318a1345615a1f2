//go:build racepred_seam

package runtime

import "unsafe"

// rpInitOrder is the order in which packages are initialized: as usual, but those of the standard library come first. Without that a package that needs few others is
// initialized before the engine, which then finds all that it did at once, however much that is. The library needs no other packages, so each package
// still comes after those that it needs.
func rpInitOrder(tasks []*initTask) []*initTask {
	rpFindGoSource()
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

// ofStandard reports whether a package is of the standard library. One that has nothing to initialize may count as either.
func (t *initTask) ofStandard() bool {
	if t.nfns == 0 {
		return false
	}
	pc := *(*uintptr)(add(unsafe.Pointer(t), 8))
	f := findfunc(pc)
	if !f.valid() || !rpOfStandard(rpPackageOf(funcname(f))) {
		return false
	}
	file, _ := funcline1(f, pc, false)
	return rpOfGo(funcname(f), file)
}
