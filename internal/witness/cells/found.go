package cells

import (
	"slices"

	"github.com/racepred/racepred/internal/trace"
)

// Found says which stores the Reads and appends of a trace found in their cells, and which cells
// have unseen Writes.
type Found struct {
	*Table
	first  []int32 // by event, where its parts begin in parts; one more at the end
	parts  []Part
	Unseen []int32 // the cells that have unseen Writes, in order
}

// Part is neighbouring cells of a Read or append that were last stored by the same event.
type Part struct {
	Range
	From int32 // the last seen Write or Alloc before the event, -1 none
}

// Find replays the stores of a trace.
func Find(evs []trace.Event) *Found {
	f := &Found{Table: New(len(evs), func(i int) *trace.Event { return &evs[i] }), first: make([]int32, len(evs)+1)}
	now := NewContents(f.N)
	for i := range evs {
		f.first[i] = int32(len(f.parts))
		r := f.Of(int32(i))
		if r.Lo == r.Hi {
			continue
		}
		e := &evs[i]
		if e.Kind == trace.Read || e.Append() {
			now.Each(r, func(part Range, v int32) bool {
				if n := len(f.parts); n > int(f.first[i]) && f.parts[n-1].From == v-1 {
					f.parts[n-1].Hi = part.Hi
				} else {
					f.parts = append(f.parts, Part{part, v - 1})
				}
				return true
			})
		}
		switch {
		case e.Kind == trace.Read:
		case e.Unseen():
			for ; r.Lo < r.Hi; r.Lo++ {
				f.Unseen = append(f.Unseen, r.Lo)
			}
		default:
			now.Set(r, int32(i)+1)
		}
	}
	f.first[len(evs)] = int32(len(f.parts))
	slices.Sort(f.Unseen)
	f.Unseen = slices.Compact(f.Unseen)
	return f
}

// Parts are the cells of event i with the stores that it found. Only a Read or an append has any.
func (f *Found) Parts(i int32) []Part { return f.parts[f.first[i]:f.first[i+1]] }

// UnseenIn are the cells of r that have unseen Writes, as indexes of Unseen.
func (f *Found) UnseenIn(r Range) Range {
	if len(f.Unseen) == 0 {
		return Range{}
	}
	lo, _ := slices.BinarySearch(f.Unseen, r.Lo)
	hi, _ := slices.BinarySearch(f.Unseen, r.Hi)
	return Range{int32(lo), int32(hi)}
}
