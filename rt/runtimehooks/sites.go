//go:build racepred_seam

package runtime

import (
	"unsafe"
)

var rpSiteTables []rpSiteTable

// rpSite turns a site's address into its number.
//
//go:nosplit
func rpSite(site *byte) uint32 {
	if site == nil {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(site)) - rpDataStart + 1)
}

// rpSiteAt is the site of a number other than 0.
//
//go:nosplit
func rpSiteAt(site uint32) *byte { return (*byte)(unsafe.Pointer(rpDataStart + uintptr(site) - 1)) }

// RacepredOpaque records that unrecorded code is about to run.
func RacepredOpaque(site *byte) {
	if s := rpSelf(); s != nil && s.quiet != rpQuiet {
		s.opaque(rpOpaque, site)
	}
}

// RacepredOpaqueHere is RacepredOpaque as a recording call for RacepredAfter.
func RacepredOpaqueHere(site *byte) *byte {
	RacepredOpaque(site)
	return nil
}

// RacepredAtomic records the beginning of a function that is meant to be atomic. RacepredSections
// records the beginning of a function in which each section of a lock and the next one are taken to
// be meant as one step. RacepredTurn records that a loop in it begins a turn, and RacepredUnitEnd,
// which is deferred, that the function ends.

func RacepredAtomic(site *byte)   { rpUnitHere(rpUnitMarked, site) }
func RacepredSections(site *byte) { rpUnitHere(rpUnitSections, site) }
func RacepredTurn()               { rpUnitHere(rpUnitTurn, nil) }
func RacepredUnitEnd()            { rpUnitHere(rpUnitEnd, nil) }

func rpUnitHere(what uint64, site *byte) {
	if s := rpSelf(); s != nil {
		switch what {
		case rpUnitMarked, rpUnitSections:
			s.units++
		case rpUnitEnd:
			s.units--
		}
		s.room()
		s.plain(rpUnit, 0, 0, what, rpSite(site), 0)
	}
}

// RacepredSites registers the table of the n sites from base on, and that pkg is rewritten. A
// package without sites has a nil base.
func RacepredSites(file, pkg string, base *byte, n int, table string) {
	dir := ""
	if n := len(rpSiteTables); n == 0 || rpSiteTables[n-1].pkg != pkg {
		_, at, _, _ := Caller(1)
		dir = rpDir(at)
	}
	rpInDependency = rpFileOfDependency(file)
	rpSiteTables = append(rpSiteTables, rpSiteTable{file, pkg, rpSite(base), n, table, dir, rpInDependency})
	for _, generic := range rpGeneric {
		if pkg == generic {
			for i := range n {
				*(*byte)(add(unsafe.Pointer(base), uintptr(i))) |= rpOfLibrary
			}
		}
	}
}

type rpSiteTable struct {
	file, pkg string
	base      uint32
	n         int
	table     string
	dir       string // of a package's first table: where its files lie, as in stacks

	dependency bool // what is left out there is not worth a line
}

// rpFileOfDependency reports whether a file is in the module cache, where directories have a
// version, or in a vendor directory.
func rpFileOfDependency(file string) bool {
	const version, vendor = "@v", "/vendor/"
	for i := range len(file) {
		rest := file[i:]
		if len(rest) > len(version) && rest[:len(version)] == version || len(rest) > len(vendor) && rest[:len(vendor)] == vendor {
			return true
		}
	}
	return false
}

// rpTableOf is the table that has a site, nil for none.
func rpTableOf(site uint32) *rpSiteTable {
	for i := range rpSiteTables {
		if t := &rpSiteTables[i]; t.n > 0 && site-t.base < uint32(t.n) {
			return t
		}
	}
	return nil
}
