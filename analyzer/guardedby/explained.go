package guardedby

import (
	"regexp"

	"golang.org/x/tools/go/analysis"
)

var noLock = regexp.MustCompile(`(?i)\bsafe to\b|\bsafe without\b|\bno (lock|need (to|for a) lock|locking)|\b(without|outside) (\w+ ){0,3}(lock|mutex|locking|synchroni[sz]ation)\b|\b(not|n't|unneeded|unnecessary) (\w+ ){0,3}(lock|mutex|locking|race)\b|\block(ing)? is (not|unn)`)

// explanations are the lines of code whose comment, behind them or right above, says that they need
// no lock. (G9)
func explanations(pass *analysis.Pass) map[place]bool {
	all := map[place]bool{}
	for _, f := range pass.Files {
		for _, g := range f.Comments {
			if !noLock.MatchString(g.Text()) {
				continue
			}
			last := placeOf(pass.Fset, g.End())
			for n := placeOf(pass.Fset, g.Pos()).line; n <= last.line+1; n++ {
				all[place{last.file, n}] = true
			}
		}
	}
	return all
}
