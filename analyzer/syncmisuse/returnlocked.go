package syncmisuse

import (
	"go/ast"
	"regexp"

	"github.com/racepred/racepred/analyzer/internal/flow"
)

// keeps are the names of functions that are meant to return with a lock held.
var keeps = regexp.MustCompile(`(?i)lock|acquire|enter|begin|hold`)

// returnLocked finds returns with a lock held that the function took, if another of its returns
// gives it back.
func returnLocked(c *checker) {
	for f := range c.p.Funcs {
		if d, ok := f.Node.(*ast.FuncDecl); ok && keeps.MatchString(d.Name.Name) {
			continue
		}
		var foreign map[flow.Path]bool // given back as the function found them: its caller holds them
		returned := map[flow.Path]int{}
		type leak struct {
			at   ast.Node
			lock flow.Path
		}
		var leaks []leak
		c.p.Before(f, func(e *flow.Event, s flow.State) {
			switch e.Kind {
			case flow.Unlock, flow.RUnlock:
				if !e.Deferred && s.Of(e.Path)&flow.AsFound != 0 {
					if foreign == nil {
						foreign = map[flow.Path]bool{}
					}
					foreign[e.Path] = true
				}
			case flow.Returns:
				for l, m := range s {
					_, maybe := s.Pending(l)
					if !l.Known() {
						continue
					}
					if maybe || m == flow.Free {
						returned[l]++
					} else if m == flow.Exclusive || m == flow.Shared {
						leaks = append(leaks, leak{e.Node, l})
					}
				}
			}
		})
		for _, k := range leaks {
			if returned[k.lock] > 0 && !foreign[k.lock] && c.locksItself(f, k.lock) {
				c.report(k.at, nil, nil, "the function returns here with %s locked, and elsewhere unlocks it", k.lock)
			}
		}
	}
}

// locksItself reports whether a function locks a lock of package sync itself.
func (c *checker) locksItself(f *flow.Func, l flow.Path) bool {
	for e := range f.Events {
		if (e.Kind == flow.Lock || e.Kind == flow.RLock) && e.Path == l && c.p.OfSync(e.Call) {
			return true
		}
	}
	return false
}
