package atomicity

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// words has the accesses to words that a unit accessed. The oldest make room for new ones.
type words struct {
	at    predict.ByAddr[word]
	free  predict.FreeList[word]
	order []trace.Addr // of their addresses, in a ring; some are no more
	next  int
	most  int
	gone  uint64
	found []*word // by of
}

// word has accesses with some of its bytes.
type word struct {
	accesses []access // of any goroutine, each position's latest
	mine     []access // of units that go on
	pairs    []pair
}

// access is one with the sections that it is in.
type access struct {
	predict.Event
	span uint32
	unit uint64 // (T1)
	of   []uint64
	held *sections
}

// pair are two accesses of a unit. (T3)
type pair struct {
	first, last predict.Event
	through     []section  // that are held from the one to the other
	read        []section  // of the second one, in which the unit read the bytes before (T5)
	lock        trace.Addr // (T2), 0: the unit is marked
	no          uint64     // of the unit's call
	unit        *trace.Event
}

const (
	keepAccesses = 6
	keepMine     = 8
	keepPairs    = 6
	maxWords     = 1 << 14
	wordBytes    = 1 << 10 // about what a word takes; few have all that may be kept of one
	wordSize     = 8
	unitWords    = 8 // of an access in a unit, so many words are looked at
)

func newWords(memory int) words {
	w := words{most: maxWords}
	if memory > 0 {
		w.most = min(w.most, max(memory/2/wordBytes, 1))
	}
	return w
}

func (w *words) bytes() int { return w.at.Bytes() + w.free.Bytes() + w.at.Len()*wordBytes }

// forget drops the accesses to bytes that begin a new life.
func (w *words) forget(addr trace.Addr, size uint32) {
	from := addr &^ (wordSize - 1)
	w.at.Forget(from, size+uint32(addr-from), func(x *word) bool {
		w.drop(x)
		return true
	})
}

func (w *words) drop(x *word) {
	x.accesses, x.mine, x.pairs = x.accesses[:0], x.mine[:0], x.pairs[:0]
	w.free.Put(x)
}

// of are the words of an access that are known.
func (w *words) of(ev *trace.Event) []*word {
	w.found = w.found[:0]
	from := ev.Addr &^ (wordSize - 1)
	if ev.Addr+trace.Addr(ev.Size) <= from+wordSize {
		if x := w.at.Get(from); x != nil {
			w.found = append(w.found, x)
		}
		return w.found
	}
	w.at.Forget(from, ev.Size+uint32(ev.Addr-from), func(x *word) bool {
		w.found = append(w.found, x)
		return false
	})
	return w.found
}

// watch adds the words of an access.
func (w *words) watch(ev *trace.Event) {
	for at, n := ev.Addr&^(wordSize-1), 0; at < ev.Addr+trace.Addr(ev.Size) && n < unitWords; at, n = at+wordSize, n+1 {
		if w.at.Get(at) != nil {
			continue
		}
		if len(w.order) < w.most {
			w.order = append(w.order, at)
		} else {
			if x := w.at.Get(w.order[w.next]); x != nil {
				w.at.Delete(w.order[w.next])
				w.drop(x)
				w.gone++
			}
			w.order[w.next] = at
			w.next = (w.next + 1) % w.most
		}
		w.at.Put(at, w.free.Get())
	}
}

// put adds an element to a list of at most n. It replaces one for which same holds, or else the
// oldest.
func put[T any](list []T, n int, x T, same func(*T) bool) []T {
	i := slices.IndexFunc(list, func(o T) bool { return same(&o) })
	if i < 0 && len(list) == n {
		i = 0
	}
	if i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return append(list, x)
}
