package oracle

import (
	"fmt"
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// content is the content of a cell: the last seen event that wrote it (-1 none, or garbled), and
// the unseen ones since then, in the order of their places. Appends are in the order in which they
// were done.
type content struct {
	last   int
	unseen []int
}

// after is the number of a cell's content after event e, if its content before had the number c.
func (w *world) after(c, e int) int {
	if w.content(c).last == garbled && w.evs[e].Kind != trace.Alloc {
		return c
	}
	now := content{last: e}
	if w.evs[e].Unseen() {
		now = w.content(c)
		now.unseen = append(slices.Clone(now.unseen), e)
		if !slices.ContainsFunc(now.unseen, func(i int) bool { return w.evs[i].Append() }) {
			slices.Sort(now.unseen)
		}
	}
	return w.number(now)
}

// number is the number of a content.
func (w *world) number(now content) int {
	key := fmt.Sprint(now)
	n, ok := w.contentN[key]
	if !ok {
		n = len(w.contents)
		w.contentN[key] = n
		w.contents = append(w.contents, now)
	}
	return n
}

func (w *world) content(c int) content {
	if c < 0 {
		return content{last: -1}
	}
	return w.contents[c]
}

// same compares two contents, or only what seen events wrote.
func (w *world) same(a, b int, seen bool) bool {
	return a == b || seen && w.content(a).last == w.content(b).last
}
