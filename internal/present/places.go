package present

import (
	"slices"

	"github.com/racepred/racepred/internal/report"
)

// key is the finding's kind and its places, in any order where they have none: what is found of
// these is reported once per run, whatever is done there (x++ reads and writes).
func key(f *report.Finding) string {
	places := make([]string, len(f.Accesses))
	for i := range f.Accesses {
		places[i] = "\x00" + f.Accesses[i].Position(f.Kind)
	}
	if !f.Kind.Ordered() {
		slices.Sort(places)
	}
	k := string(f.Kind)
	for _, p := range places {
		k += p
	}
	return k
}
