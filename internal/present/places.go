package present

import (
	"slices"
	"strconv"

	"github.com/racepred/racepred/internal/report"
)

// key is the finding's kind and its places in any order: what is found of these is reported once per run, whatever is done there (x++ reads and
// writes).
func key(f *report.Finding) string {
	places := make([]string, len(f.Accesses))
	for i := range f.Accesses {
		a := &f.Accesses[i]
		places[i] = "\x00" + a.File + ":" + strconv.Itoa(a.Line) + ":" + strconv.Itoa(a.Column)
	}
	slices.Sort(places)
	k := string(f.Kind)
	for _, p := range places {
		k += p
	}
	return k
}
