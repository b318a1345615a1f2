package collect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// number matches what may differ in what several processes or packages say of the same, and no line
// of a file.
var number = regexp.MustCompile(`(?:^| )[0-9]+\b`)

// greater compares the first numbers of two lines that are alike.
func greater(a, b report.Uncovered) int {
	first := func(u report.Uncovered) int {
		n, _ := strconv.Atoi(strings.TrimSpace(number.FindString(u.Reason)))
		return n
	}
	return cmp.Compare(first(a), first(b))
}

// alike are the lines in groups, by what which says of them without numbers, in the order of their
// first lines.
func alike(all []report.Uncovered, which func(report.Uncovered) string) (groups [][]report.Uncovered) {
	at := map[string]int{}
	for _, u := range all {
		key := number.ReplaceAllString(which(u), " 0")
		n, ok := at[key]
		if !ok {
			n = len(groups)
			at[key] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], u)
	}
	return groups
}

// oncePerPackage has one line, that with the greatest number, of those that processes of a package
// say alike: a test may start hundreds of them.
func oncePerPackage(all []report.Uncovered) (some []report.Uncovered) {
	for _, same := range alike(all, report.Uncovered.String) {
		most := slices.MaxFunc(same, greater)
		if n := len(same); n > 1 && number.MatchString(most.Reason) {
			most.Reason += fmt.Sprintf(" (the most of %d processes)", n)
		}
		some = append(some, most)
	}
	return some
}

// fewAlike is how many packages may say the same in a line each.
const fewAlike = 3

// Brief is for people who read it below the output of a run: where more than three packages say
// the same but for a number, it has one line, that with the greatest number, and how many packages
// there are.
func Brief(all []report.Uncovered) (some []report.Uncovered) {
	for _, same := range alike(all, func(u report.Uncovered) string { return u.Reason }) {
		packages := map[string]bool{}
		for _, u := range same {
			packages[u.Package] = true
		}
		if len(packages) <= fewAlike {
			some = append(some, same...)
			continue
		}
		most, says := slices.MaxFunc(same, greater), "one of %d packages"
		if number.MatchString(most.Reason) {
			says = "the most of %d packages"
		}
		most.Reason += fmt.Sprintf(" ("+says+", -report lists them)", len(packages))
		some = append(some, most)
	}
	slices.SortStableFunc(some, func(a, b report.Uncovered) int { return cmp.Compare(a.Package, b.Package) })
	return some
}
