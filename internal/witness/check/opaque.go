package check

import "errors"

// seen is what an Opaque found of a lock around it.
type seen struct {
	lock   int32
	last   int32 // the last Opaque in write mode, -1 none
	shared bool
}

// sees notes what an Opaque finds in the trace, of each lock around it.
func (b *building) sees(i int32) {
	var all []seen
	for _, s := range b.held[b.g[i]] {
		l := b.sections[s].lock
		all = append(all, seen{l, b.opaque[l] - 1, b.sections[s].shared})
		if !b.sections[s].shared {
			b.opaque[l] = i + 1
		}
	}
	b.about[i] = int32(len(b.opaques))
	b.opaques = append(b.opaques, all)
}

// opaqueNext is (C8).
func (r *replay) opaqueNext(i int32) error {
	for _, s := range r.opaques[r.about[i]] {
		if r.opaque[s.lock]-1 != s.last {
			return errors.New("another Opaque came before in a section of a lock around it")
		}
	}
	return nil
}

func (r *replay) opaqueDone(i int32) {
	for _, s := range r.opaques[r.about[i]] {
		if !s.shared {
			r.opaque[s.lock] = i + 1
		}
	}
}
