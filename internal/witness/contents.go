package witness

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// contents are the cells of a box, and what its Reads found in them in the trace: they have to find
// the same in a schedule.
type contents struct {
	*cells.Table
	all   []int32   // the box's events
	first []int32   // by place in all, where in found the cells of a Read or append begin
	found []content // the contents of these cells, one after the other
}

// content is the content of a cell: the last seen store plus one, and how many unseen Writes there
// were since then.
type content struct{ last, unseen int32 }

func newContents(evs []trace.Event, all []int32) *contents {
	c := &contents{
		Table: cells.New(len(all), func(n int) *trace.Event { return &evs[all[n]] }),
		all:   all, first: make([]int32, len(all)),
	}
	now := make([]content, c.N)
	for n, i := range all {
		r := c.Table.Of(int32(n))
		e := &evs[i]
		if e.Kind == trace.Read || e.Append() {
			c.first[n] = int32(len(c.found))
			c.found = append(c.found, now[r.Lo:r.Hi]...)
		}
		if e.Kind.Spec().Stores {
			for k := r.Lo; k < r.Hi; k++ {
				now[k] = now[k].after(i, e)
			}
		}
	}
	return c
}

// after is the content of a cell after event i stored to it.
func (c content) after(i int32, e *trace.Event) content {
	if e.Unseen() {
		return content{c.last, c.unseen + 1}
	}
	return content{i + 1, 0}
}

// of are the cells of event i of the box.
func (c *contents) of(i int32) cells.Range {
	n, _ := slices.BinarySearch(c.all, i)
	return c.Table.Of(int32(n))
}

// read are the cells of event i, a Read or an append, and their contents in the trace.
func (c *contents) read(i int32) (cells.Range, []content) {
	n, _ := slices.BinarySearch(c.all, i)
	r := c.Table.Of(int32(n))
	return r, c.found[c.first[n] : c.first[n]+r.Hi-r.Lo]
}
