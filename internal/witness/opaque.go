package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// opaques notes the last Opaque in write mode of each lock around this one.
func (b *builder) opaques(i int32) {
	var before []int32
	for _, s := range b.around[b.gnum[i]] {
		l := b.sections[s].lock
		if o := b.opaque[l]; o > 0 {
			before = append(before, o-1)
		}
		if !b.sections[s].shared {
			b.opaque[l] = i + 1
		}
	}
	b.note(i, before)
}

// opaquesAfter keeps all Opaques of the box in the trace's order, which is more than (P7) asks for.
func (r *saturation) opaquesAfter(all []int32, i int32) bool {
	n, _ := slices.BinarySearch(all, i)
	for _, j := range all[n+1:] {
		if r.evs[j].Kind == trace.Opaque {
			return r.edge(i, j)
		}
	}
	return true
}
