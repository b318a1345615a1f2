package edit

import (
	"slices"
	"sort"

	"github.com/racepred/racepred/instrument/counters"
)

// Between lists the slots inside of text from start to end. Those at its ends belong to the text
// around it.
func Between(slots []int, start, end int) []int {
	from := sort.SearchInts(slots, start+1)
	to := sort.SearchInts(slots, end)
	return slots[from:max(from, to)]
}

// WithSlots adds slots to edits. A slot comes before the edits at its offset, except for those that
// belong to the head of the body that begins there (counters/K1). Text that an edit takes away has
// its slots at its new place. (counters/K2)
func WithSlots(edits []Edit, slots []int) []Edit {
	if len(slots) == 0 {
		return edits
	}
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Off - b.Off })
	out := make([]Edit, 0, len(edits)+len(slots))
	removed := 0 // text up to this offset is taken away
	for _, e := range edits {
		for len(slots) > 0 && (slots[0] < e.Off || slots[0] == e.Off && !e.Ahead) {
			if slots[0] >= removed {
				out = append(out, Edit{Off: slots[0], Text: counters.Slot(slots[0])})
			}
			slots = slots[1:]
		}
		out = append(out, e)
		removed = max(removed, e.Off+e.Del)
	}
	for _, at := range slots {
		if at >= removed {
			out = append(out, Edit{Off: at, Text: counters.Slot(at)})
		}
	}
	return out
}
