package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// lists are the unobserved appends of a trace, and their parts (C14).
type lists struct {
	header map[int32]int32   // by part, its append, if the trace has it
	parts  map[int32][]int32 // by append
	latest map[int32]int32   // by goroutine, the append whose parts its next events are
}

func newLists() lists {
	return lists{header: map[int32]int32{}, parts: map[int32][]int32{}, latest: map[int32]int32{}}
}

// append takes in the next event of goroutine g.
func (l *lists) append(i int32, e *trace.Event, g int32) {
	switch h, ok := l.latest[g]; {
	case e.Append():
		l.latest[g] = i
	case !ok:
	case e.AppendPart():
		l.header[i] = h
		l.parts[h] = append(l.parts[h], i)
	default:
		delete(l.latest, g)
	}
}

// inPlace reports whether append h, which is next, finds the same appends in its list as in the
// trace. The list must have the same last seen store.
func (r *replay) inPlace(h int32) bool {
	for _, part := range r.found.Parts(h) {
		for k := r.found.UnseenIn(part.Range); k.Lo < k.Hi; k.Lo++ {
			if !r.same(k.Lo, part.From, h) {
				return false
			}
		}
	}
	return true
}

// placed reports whether append h was done in place, and its list not stored since.
func (r *replay) placed(h int32) bool {
	if !r.sameList(h) {
		return false
	}
	all, done := r.epoch(h)
	return before(all, h) < done
}

// sameList reports whether the list of append h has the same last seen store as in the trace.
func (r *replay) sameList(h int32) bool {
	same := true
	for _, part := range r.found.Parts(h) {
		r.last.Each(part.Range, func(_ cells.Range, last int32) bool {
			same = same && last-1 == part.From
			return same
		})
	}
	return same
}

// appends is (C14) for an append that is next.
func (r *replay) appends(i int32, e *trace.Event) error {
	if !r.sameList(i) {
		return errors.New("the list was last stored by another event")
	}
	if !r.inPlace(i) {
		if err := r.garble(i); err != nil {
			return err
		}
	}
	return r.write(i, e)
}

// part is (C14) for a part of append h that is next.
func (r *replay) part(i, h int32, e *trace.Event) error {
	switch {
	case !r.sameList(h):
		return errors.New("the list was stored in the middle of an append")
	case e.Kind == trace.Write:
		return r.write(i, e)
	case r.placed(h):
		return r.finds(i, e)
	}
	return nil
}

// epoch lists the appends of the trace to the list of h, from the seen store on that h found there,
// later ones than h included. done is how many of them the schedule has done in place, if that
// store is still the list's last one.
func (r *replay) epoch(h int32) (list []int32, done int) {
	part := r.found.Parts(h)[0]
	k := r.found.UnseenIn(part.Range).Lo
	for g := range r.merges[k] {
		if !r.of(&r.merges[k][g], h) {
			continue
		}
		list = r.merges[k][g].list
		list = list[before(list, part.From):]
		if r.merged[k] != nil {
			done = int(r.merged[k][g].inOrder)
		}
		break
	}
	return list, done
}

// garble is (C14) for an append h that is next and not in place. It, and the appends to its list
// after it, may write other memory than in the trace. So no event may read what they wrote there.
// Once is enough: no append is in place any more until the list is stored.
func (r *replay) garble(h int32) (err error) {
	list, done := r.epoch(h)
	list = list[done:]
	if r.garbling[list[0]] {
		return nil
	}
	for _, q := range list {
		if r.found.Parts(q)[0].From != r.found.Parts(h)[0].From {
			break
		}
		if int(r.place[q]) == len(r.list[r.g[q]])-1 {
			return fmt.Errorf("append %d of the list was under way when the trace ended", q)
		}
		for _, i := range r.lists.parts[q] {
			if r.evs[i].Kind != trace.Write {
				continue
			}
			at := r.found.Of(i)
			r.garbled.Set(at, 1)
			if !r.opts.Dropped {
				continue
			}
			again := func(t int32, _ cells.Range) {
				err = fmt.Errorf("g%d may read again what it accessed at event %d, which the append may write", r.evs[t].G, t)
			}
			r.reads.each(at, r.ongoing, again)
			r.writes.each(at, r.ongoing, again)
		}
	}
	r.garbling[list[0]] = true
	return err
}

// isGarbled reports whether the content of some of the cells is unknown.
func (r *replay) isGarbled(at cells.Range) bool {
	garbled := false
	r.garbled.Each(at, func(_ cells.Range, v int32) bool {
		garbled = v != 0
		return !garbled
	})
	return garbled
}

// appended notes that an append was done.
func (r *replay) appended(i int32) {
	for _, part := range r.found.Parts(i) {
		for k := r.found.UnseenIn(part.Range); k.Lo < k.Hi; k.Lo++ {
			r.merge(k.Lo, i, part.From)
		}
	}
}

// store notes that event i stored to some cells.
func (r *replay) store(at cells.Range, i int32) {
	r.last.Set(at, i+1)
	for k := r.found.UnseenIn(at); k.Lo < k.Hi; k.Lo++ {
		r.unmerge(k.Lo)
	}
}
