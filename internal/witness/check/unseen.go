package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// Unseen events may trade places with their like. So what counts is their set, and not their order:
// (C4), (C7).

// epoch is the part of an object's history that begins with a seen Change, or with the trace.
type epoch struct {
	change int32   // -1: the trace's beginning
	unseen []int32 // the unseen Changes in it, in the trace's order
}

// pin is what an Observe or Change found in the trace: the first n unseen Changes of an epoch.
type pin struct{ epoch, n int32 }

func (b *building) pin(i int32, e *trace.Event) {
	k := b.epoch[e.Addr] - 1
	if k < 0 {
		k = b.newEpoch(e.Addr, -1)
	}
	b.about[i] = int32(len(b.pins))
	b.pins = append(b.pins, pin{k, int32(len(b.epochs[k].unseen))})
	switch {
	case e.Kind == trace.Observe:
	case e.Unseen():
		b.epochs[k].unseen = append(b.epochs[k].unseen, i)
	default:
		b.newEpoch(e.Addr, i)
	}
}

func (b *building) newEpoch(a trace.Addr, change int32) int32 {
	b.epochs = append(b.epochs, epoch{change: change})
	b.epoch[a] = int32(len(b.epochs))
	return int32(len(b.epochs) - 1)
}

// happened is what a schedule did to an object.
type happened struct {
	change int32 // the last seen Change, plus one
	n      int32 // how many unseen Changes it did since then
	first  int32 // how many of the epoch's first unseen Changes are known to be among them
}

// pinned is (C7).
func (r *replay) pinned(i int32, e *trace.Event) error {
	p := r.pins[r.about[i]]
	k := &r.epochs[p.epoch]
	h := r.objects[e.Addr]
	if h.change-1 != k.change {
		return errors.New("another Change came before")
	}
	if e.Kind == trace.Change && e.Unseen() {
		return nil
	}
	for int(h.first) < len(k.unseen) && r.done(k.unseen[h.first]) {
		h.first++
	}
	r.objects[e.Addr] = h
	if h.n != p.n || h.first < p.n {
		return errors.New("other unseen Changes came before")
	}
	return nil
}

func (r *replay) changed(i int32, e *trace.Event) {
	h := r.objects[e.Addr]
	if e.Unseen() {
		h.n++
	} else {
		h = happened{change: i + 1}
	}
	r.objects[e.Addr] = h
}

// merge is those unseen Writes of a cell that write the same bytes, in the trace's order.
type merge struct {
	addr trace.Addr
	size uint32
	list []int32
}

func (b *building) merge(k, i int32, e *trace.Event) {
	groups := b.merges[k]
	for g := range groups {
		if groups[g].addr == e.Addr && groups[g].size == e.Size {
			groups[g].list = append(groups[g].list, i)
			return
		}
	}
	b.merges[k] = append(groups, merge{e.Addr, e.Size, []int32{i}})
}

// merged is what a schedule did with a merge since the last seen store of its cell.
type merged struct {
	n       int32 // how many of its Writes it did
	first   int32 // how many of the first ones are known to be among them
	over    int32 // how many of the first ones are known to be in spans that are over
	inOrder int32 // how many of the first ones are appends that it did in the trace's order, before all others
}

// merge notes that the unseen Write i of the cell at place k was done. If i is an append, from is
// the seen store that it found in the trace.
func (r *replay) merge(k, i, from int32) {
	r.when[i] = r.now
	groups := r.merges[k]
	if r.merged[k] == nil {
		r.merged[k] = make([]merged, len(groups))
	}
	for g := range groups {
		if !r.of(&groups[g], i) {
			continue
		}
		m, list := &r.merged[k][g], groups[g].list
		if r.evs[i].Append() && m.n == m.inOrder && list[int32(before(list, from))+m.n] == i {
			m.inOrder++
		}
		m.n++
	}
}

// of reports whether event i is in the merge.
func (r *replay) of(m *merge, i int32) bool {
	n := before(m.list, i)
	return n < len(m.list) && m.list[n] == i
}

// unmerge notes a seen store of the cell at place k: the unseen Writes before it no longer count.
func (r *replay) unmerge(k int32) {
	r.since[k] = r.now
	clear(r.merged[k])
}

// sameMerges is (C4) and (C11) for the unseen Writes of some cells: since the last seen store they
// must be those that the Read i found in the trace.
func (r *replay) sameMerges(part cells.Part, i int32) error {
	for k := r.found.UnseenIn(part.Range); k.Lo < k.Hi; k.Lo++ {
		if err := r.sameMerge(k.Lo, part.From, i); err != nil {
			return err
		}
	}
	return nil
}

func (r *replay) sameMerge(k, from, i int32) error {
	for g := range r.merges[k] {
		list := r.merges[k][g].list
		lo := before(list, from)
		n := int32(before(list, i) - lo)
		var m merged
		if r.merged[k] != nil {
			m = r.merged[k][g]
		}
		for list = list[lo:]; int(m.first) < len(list) && r.done(list[m.first]) && r.when[list[m.first]] > r.since[k]; {
			m.first++
		}
		same := m.n == n && m.first >= n && (n == 0 || m.inOrder == n || !r.evs[list[0]].Append())
		ongoing := int32(-1)
		if same && r.opts.Dropped {
			ongoing = r.ongoingMerge(list[:n], &m.over, r.evs[i].G)
		}
		if r.merged[k] != nil {
			r.merged[k][g] = m
		}
		if !same {
			return errors.New("some of it has other unseen writes in it")
		}
		if ongoing >= 0 {
			return fmt.Errorf("the span of event %d, an unseen write of what it reads, is not over", ongoing)
		}
	}
	return nil
}

// same reports whether the cell at place k has the unseen Writes that event i found there in the
// trace.
func (r *replay) same(k, from, i int32) bool {
	for g := range r.merges[k] {
		list := r.merges[k][g].list
		lo := before(list, from)
		n := int32(before(list, i) - lo)
		var m merged
		if r.merged[k] != nil {
			m = r.merged[k][g]
		}
		switch {
		case m.n != n || n > 0 && r.evs[list[lo]].Append() && m.inOrder != n:
			return false
		case m.inOrder == n:
			continue
		}
		for _, j := range list[lo : lo+int(n)] {
			if !r.done(j) || r.when[j] <= r.since[k] {
				return false
			}
		}
	}
	return true
}

// sameOverlaps is (C4) for an unseen Write: it does not commute with one of another range of bytes
// that overlaps its own.
func (r *replay) sameOverlaps(i int32) error {
	for k := r.found.UnseenIn(r.found.Of(i)); k.Lo < k.Hi; k.Lo++ {
		groups := r.merges[k.Lo]
		if len(groups) < 2 {
			continue
		}
		for g := range groups {
			if r.of(&groups[g], i) {
				continue
			}
			for _, j := range groups[g].list {
				if r.done(j) != (j < i) {
					return fmt.Errorf("unseen write %d of other bytes is on its other side", j)
				}
			}
		}
	}
	return nil
}

// ongoingMerge is (C11) for a Read by goroutine g after these unseen Writes. It returns one of
// another goroutine whose span is not over, so that a repeat may be missing, or -1. The first *over
// of them are known to be in spans that are over.
func (r *replay) ongoingMerge(list []int32, over *int32, g trace.G) int32 {
	ends := func(i int32) bool { return r.evs[i].Flags&trace.FlagAtomic != 0 || r.pos[r.g[i]] >= r.ends[i] }
	for int(*over) < len(list) && ends(list[*over]) {
		*over++
	}
	for _, i := range list[min(int(*over), len(list)):] {
		if r.evs[i].G != g && !ends(i) {
			return i
		}
	}
	return -1
}
