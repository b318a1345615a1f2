package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// What nobody looks at may trade places with its like, so of unseen events not the order counts but the set (C4), (C7).

// era is the part of an object's history that begins with a seen Change, or with the trace.
type era struct {
	change int32   // -1: the trace's beginning
	unseen []int32 // the unseen Changes in it, in the trace's order
}

// pin is what an Observe or Change found in the trace: the first n unseen Changes of an era.
type pin struct{ era, n int32 }

func (b *building) pin(i int32, e *trace.Event) {
	k := b.era[e.Addr] - 1
	if k < 0 {
		k = b.newEra(e.Addr, -1)
	}
	b.about[i] = int32(len(b.pins))
	b.pins = append(b.pins, pin{k, int32(len(b.eras[k].unseen))})
	switch {
	case e.Kind == trace.Observe:
	case e.Unseen():
		b.eras[k].unseen = append(b.eras[k].unseen, i)
	default:
		b.newEra(e.Addr, i)
	}
}

func (b *building) newEra(a trace.Addr, change int32) int32 {
	b.eras = append(b.eras, era{change: change})
	b.era[a] = int32(len(b.eras))
	return int32(len(b.eras) - 1)
}

// happened is what a schedule did to an object: the last seen Change plus one, and how many unseen ones since.
type happened struct {
	change, n int32
	first     int32 // how many of the era's unseen Changes are done without a gap, as far as was looked
}

// pinned is (C7).
func (r *replay) pinned(i int32, e *trace.Event) error {
	p := r.pins[r.about[i]]
	k := &r.eras[p.era]
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

// merge is the unseen Writes of the same bytes, some of which are a word's, in the trace's order.
type merge struct {
	addr  trace.Addr
	size  uint32
	bytes [8]bool // the word's
	list  []int32
}

func (b *building) merge(w uint64, i int32, e *trace.Event) {
	var bytes [8]bool
	for k := range bytes {
		bytes[k] = covers(e, trace.Addr(w<<3)+trace.Addr(k))
	}
	groups := b.merges[w]
	for k := range groups {
		if groups[k].addr == e.Addr && groups[k].size == e.Size {
			groups[k].list = append(groups[k].list, i)
			return
		}
	}
	b.merges[w] = append(groups, merge{e.Addr, e.Size, bytes, []int32{i}})
}

// merged is what a schedule did with a merge since the last seen store of one byte: how many of its Writes, how many of the first ones are done without
// a gap, and how many of the first ones are in spans that are over, as far as was looked.
type merged struct{ n, first, over int32 }

// merge notes an unseen Write of word w.
func (r *replay) merge(w uint64, i int32, e *trace.Event) {
	c := r.word(w)
	r.when[i] = r.now
	groups := r.merges[w]
	if c.merged == nil {
		c.merged = make([][8]merged, len(groups))
	}
	for k := range groups {
		for b := range c.last {
			if groups[k].bytes[b] && covers(e, trace.Addr(w<<3)+trace.Addr(b)) && r.of(&groups[k], i) {
				c.merged[k][b].n++
			}
		}
	}
}

// of reports whether event i is in the merge.
func (r *replay) of(m *merge, i int32) bool {
	n := before(m.list, i)
	return n < len(m.list) && m.list[n] == i
}

// unmerge forgets what was merged into byte b before a seen store of it.
func (r *replay) unmerge(c *content, b int) {
	c.since[b] = r.now
	for k := range c.merged {
		c.merged[k][b] = merged{}
	}
}

// sameMerges is (C4), and (C11), for the unseen Writes of byte b of word w: those of the trace between the seen store from and the Read i.
func (r *replay) sameMerges(w uint64, b int, from, i int32) error {
	groups := r.merges[w]
	if len(groups) == 0 {
		return nil
	}
	c := r.word(w)
	for k := range groups {
		if !groups[k].bytes[b] {
			continue
		}
		list := groups[k].list
		lo := before(list, from)
		n := int32(before(list, i) - lo)
		var m merged
		if c.merged != nil {
			m = c.merged[k][b]
		}
		for list = list[lo:]; int(m.first) < len(list) && r.done(list[m.first]) && r.when[list[m.first]] > c.since[b]; {
			m.first++
		}
		same := m.n == n && m.first >= n
		ongoing := int32(-1)
		if same && r.opts.Dropped {
			ongoing = r.ongoingMerge(list[:n], &m.over, r.evs[i].G)
		}
		if c.merged != nil {
			c.merged[k][b] = m
		}
		if !same {
			return fmt.Errorf("byte %d of word %#x has other unseen writes in it", b, w<<3)
		}
		if ongoing >= 0 {
			return fmt.Errorf("the span of event %d, which is in byte %d of word %#x, is not over", ongoing, b, w<<3)
		}
	}
	return nil
}

// sameOverlaps is (C4) for an unseen Write: what adds to other bytes than it, some of which are its own, does not commute with it.
func (r *replay) sameOverlaps(i int32, e *trace.Event) (err error) {
	eachWord(e, func(w uint64) {
		groups := r.merges[w]
		if len(groups) < 2 {
			return
		}
		for k := range groups {
			if !groups[k].overlaps(w, e) || r.of(&groups[k], i) {
				continue
			}
			for _, j := range groups[k].list {
				if r.done(j) != (j < i) {
					err = fmt.Errorf("unseen write %d of other bytes is on its other side", j)
				}
			}
		}
	})
	return err
}

// overlaps reports whether the merge has bytes of e.
func (m *merge) overlaps(w uint64, e *trace.Event) bool {
	for b, in := range m.bytes {
		if in && covers(e, trace.Addr(w<<3)+trace.Addr(b)) {
			return true
		}
	}
	return false
}

// ongoingMerge is (C11) for a Read by goroutine g of what these unseen Writes left: one of another goroutine that may be missing a repeat, or -1.
// The first over of them are known to be in spans that are over.
func (r *replay) ongoingMerge(list []int32, over *int32, g trace.G) int32 {
	ends := func(i int32) bool { return r.evs[i].Flags&trace.FlagAtomic != 0 || r.pos[r.g[i]] >= r.spanEnd(i) }
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
