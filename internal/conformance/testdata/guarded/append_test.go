// What is appended to a list under a lock may trade places with its like, but not where somebody sees what is in the list, or how much. The twins
// append in the same ways, and nobody looks.

package guarded

import (
	"encoding/json"
	"sync"
	"testing"
)

// queue is a list that the sections of its lock append to.
type queue struct {
	mu    sync.RWMutex
	list  []int
	more  []int
	lists [2][]int
	text  []byte
	all   []*queue
	x     int
}

// add appends in a section of the queue.
func (q *queue) add(v ...int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, v...)
}

// size says how much there is, in a section of whoever asks.
func (q *queue) size() int { return len(q.list) }

// first appends under the lock after an access that nothing protects.
func (q *queue) first() {
	q.x = 1
	q.add(1)
}

func TestNoRaceAppendedLen(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, 2)
		n := len(q.list)
		q.mu.Unlock()
		if n == 2 {
			q.x++
		}
	})
}

func TestRaceAppendedLen(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, 2)
		q.mu.Unlock()
		q.x++
	})
}

func TestNoRaceAppendedLenBefore(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		n := len(q.list)
		q.list = append(q.list, 2)
		q.mu.Unlock()
		if n == 1 {
			q.x++
		}
	})
}

func TestNoRaceAppendedLenLater(t *testing.T) {
	q := &queue{list: make([]int, 0, 10)}
	inTurn(q.first, func() {
		q.add(2, 3)
		q.mu.RLock()
		n := len(q.list)
		q.mu.RUnlock()
		if n == 3 {
			q.x++
		}
	})
}

func TestRaceAppendedLenAfterwards(t *testing.T) {
	q := &queue{list: make([]int, 0, 10)}
	inTurn(q.first, func() {
		q.add(2, 3)
		q.x++
		q.mu.RLock()
		defer q.mu.RUnlock()
		if len(q.list) != 3 {
			t.Error(q.list)
		}
	})
}

func TestNoRaceAppendedCap(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.add(2)
		q.mu.Lock()
		room := cap(q.list)
		q.mu.Unlock()
		if room == 2 {
			q.x++
		}
	})
}

func TestNoRaceAppendedNil(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		some := q.list != nil
		q.mu.Unlock()
		q.add(2)
		if some {
			q.x++
		}
	})
}

func TestNoRaceAppendedFirst(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.add(2)
		q.mu.Lock()
		first := q.list[0]
		q.mu.Unlock()
		if first == 1 {
			q.x++
		}
	})
}

func TestNoRaceAppendedRange(t *testing.T) {
	q := &queue{list: make([]int, 0, 3)}
	inTurn(q.first, func() {
		q.add(2)
		saw := false
		q.mu.Lock()
		for i, v := range q.list {
			saw = saw || i == 0 && v == 1
		}
		q.mu.Unlock()
		if saw {
			q.x++
		}
	})
}

func TestRaceAppendedRange(t *testing.T) {
	q := &queue{list: make([]int, 0, 3)}
	inTurn(q.first, func() {
		q.add(2)
		q.x++
	})
	for range q.list {
		q.x++
	}
}

func TestNoRaceAppendedToASlice(t *testing.T) {
	q := &queue{list: make([]int, 0, 5)}
	old := q.list[:5]
	inTurn(q.first, func() {
		q.add(2)
		q.mu.Lock()
		first := old[0]
		q.mu.Unlock()
		if first == 1 {
			q.x++
		}
	})
}

func TestNoRaceAppendedToASliceBetween(t *testing.T) {
	q := &queue{list: make([]int, 0, 5)}
	old := q.list[:5]
	inTurn(q.first, func() {
		q.mu.Lock()
		first := old[0]
		q.mu.Unlock()
		q.add(2)
		if first == 1 {
			q.x++
		}
	})
}

// It is the second one's element that the slice has, unless the first one comes first.
func TestNoRaceAppendedElsewhere(t *testing.T) {
	q := &queue{list: make([]int, 0, 5)}
	old := q.list[:5]
	inTurn(q.first, func() {
		q.add(2)
		q.mu.Lock()
		untouched := old[0] != 2
		q.mu.Unlock()
		if untouched {
			q.x++
		}
	})
}

// The second one's elements have no room in the array behind the first one's; the other way round it is the first one's that have none.
func TestNoRaceAppendedIntoTheRest(t *testing.T) {
	q := &queue{list: make([]int, 0, 3)}
	old := q.list[:3]
	inTurn(func() {
		q.x = 1
		q.add(1, 2)
	}, func() {
		q.add(3, 4)
		q.mu.Lock()
		empty := old[2] == 0
		q.mu.Unlock()
		if empty && old[0] == 1 {
			q.x++
		}
	})
}

func TestRaceAppendedToASlice(t *testing.T) {
	q := &queue{list: make([]int, 0, 5)}
	old := q.list[:5]
	inTurn(q.first, func() {
		q.add(2)
		q.mu.Lock()
		last := old[4]
		q.mu.Unlock()
		if last == 0 {
			q.x++
		}
	})
}

func TestNoRaceAppendedToAPointer(t *testing.T) {
	q := &queue{list: make([]int, 1, 5)}
	second := &q.list[:2][1]
	inTurn(q.first, func() {
		q.add(2)
		q.mu.Lock()
		one := *second == 1
		q.mu.Unlock()
		if one {
			q.x++
		}
	})
}

func TestNoRaceAppendedSelf(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, q.list...)
		q.mu.Unlock()
		q.mu.Lock()
		two := len(q.list) == 2
		q.mu.Unlock()
		if two {
			q.x++
		}
	})
}

func TestNoRaceAppendedItsLen(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, 2)
		q.more = append(q.more, q.size())
		q.mu.Unlock()
		q.mu.Lock()
		two := q.more[0] == 2
		q.mu.Unlock()
		if two {
			q.x++
		}
	})
}

func TestNoRaceAppendedToAnother(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, 2)
		q.more = append(q.list, 3)
		q.mu.Unlock()
		q.mu.Lock()
		three := len(q.more) == 3
		q.mu.Unlock()
		if three {
			q.x++
		}
	})
}

func TestRaceAppendedToTwo(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, 2)
		q.more = append(q.more, 3)
		q.mu.Unlock()
		q.x++
	})
}

// A copy to a new array has what was written to the old one.
func TestNoRaceAppendedCopy(t *testing.T) {
	q := &queue{list: make([]int, 2)}
	inTurn(func() {
		q.x = 1
		q.mu.Lock()
		q.list[1] = 7
		q.mu.Unlock()
	}, func() {
		q.add(2)
		q.mu.Lock()
		seven := q.list[1] == 7
		q.mu.Unlock()
		if seven {
			q.x++
		}
	})
}

// Two lists share an array: what is appended to the one is what the other has.
func TestNoRaceAppendedBeside(t *testing.T) {
	q := &queue{list: make([]int, 0, 4)}
	q.more = q.list[:1]
	inTurn(q.first, func() {
		q.mu.Lock()
		q.more = append(q.more, 5)
		q.mu.Unlock()
		q.mu.Lock()
		one := q.more[0] == 1
		q.mu.Unlock()
		if one {
			q.x++
		}
	})
}

// What it appends lies over what the other one appended, and it saw that before.
func TestNoRaceAppendedOver(t *testing.T) {
	q := &queue{list: make([]int, 0, 4)}
	q.more = q.list
	old := q.list[:4]
	inTurn(q.first, func() {
		q.mu.Lock()
		one := old[0] == 1
		q.more = append(q.more, 5)
		q.mu.Unlock()
		if one {
			q.x++
		}
	}, func() {})
	_ = q.list
}

// It sees what it appended itself, whoever comes first.
func TestRaceAppendedOver(t *testing.T) {
	q := &queue{list: make([]int, 0, 4)}
	q.more = q.list
	old := q.list[:4]
	inTurn(q.first, func() {
		q.mu.Lock()
		q.more = append(q.more, 5)
		q.mu.Unlock()
		q.mu.Lock()
		five := old[0] == 5
		q.mu.Unlock()
		if five {
			q.x++
		}
	}, func() {})
	_ = q.list
}

func TestNoRaceAppendedTaken(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		taken := q.list
		q.list = nil
		q.mu.Unlock()
		q.add(2)
		if len(taken) == 1 {
			q.x++
		}
	})
}

func TestRaceAppendedTaken(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.add(2)
		q.x++
		q.mu.Lock()
		q.list = nil
		q.mu.Unlock()
	})
}

func TestNoRaceAppendedCutOff(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		again := len(q.list[:0:1]) == 0 && cap(q.list) > 0
		q.list = q.list[:0]
		q.list = append(q.list, 2)
		q.mu.Unlock()
		if again {
			q.x++
		}
	})
}

func TestNoRaceAppendedText(t *testing.T) {
	q := &queue{}
	inTurn(func() {
		q.x = 1
		q.mu.Lock()
		q.text = append(q.text, "one "...)
		q.mu.Unlock()
	}, func() {
		q.mu.Lock()
		q.text = append(q.text, "two"...)
		text := string(q.text)
		q.mu.Unlock()
		if text == "one two" {
			q.x++
		}
	})
}

func TestRaceAppendedText(t *testing.T) {
	q := &queue{text: make([]byte, 0, 100)}
	inTurn(func() {
		q.x = 1
		q.mu.Lock()
		q.text = append(q.text, "one "...)
		q.mu.Unlock()
	}, func() {
		q.mu.Lock()
		q.text = append(q.text, 't', 'w', 'o')
		q.mu.Unlock()
		q.x++
	})
}

func TestNoRaceAppendedMarshal(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.add(2)
		q.mu.Lock()
		text, _ := json.Marshal(q.list)
		q.mu.Unlock()
		if string(text) == "[1,2]" {
			q.x++
		}
	})
}

// Code that nobody records has the list's address.
func TestNoRaceAppendedMarshalAddress(t *testing.T) {
	q := &queue{}
	list := &q.list
	inTurn(q.first, func() {
		q.mu.Lock()
		text, _ := json.Marshal(list)
		q.mu.Unlock()
		q.add(2)
		if string(text) == "[1]" {
			q.x++
		}
	})
}

func TestNoRaceAppendedInAnArray(t *testing.T) {
	q := &queue{}
	inTurn(func() {
		q.x = 1
		q.mu.Lock()
		q.lists[1] = append(q.lists[1], 1)
		q.mu.Unlock()
	}, func() {
		q.mu.Lock()
		i := len(q.text) + 1
		q.lists[i] = append(q.lists[i], 2)
		q.mu.Unlock()
		q.mu.Lock()
		all := q.lists
		q.mu.Unlock()
		if len(all[1]) == 2 {
			q.x++
		}
	})
}

func TestRaceAppendedInAnArray(t *testing.T) {
	q := &queue{}
	inTurn(func() {
		q.x = 1
		q.mu.Lock()
		q.lists[1] = append(q.lists[1], 1)
		q.mu.Unlock()
	}, func() {
		q.mu.Lock()
		q.lists[1] = append(q.lists[1], 2)
		q.mu.Unlock()
		q.x++
	})
}

// The list is what it was only where the address says so.
func TestNoRaceAppendedThroughPointers(t *testing.T) {
	q := &queue{}
	q.all = append(q.all, &queue{})
	inTurn(func() {
		q.x = 1
		q.mu.Lock()
		q.all[0] = &queue{list: []int{1}}
		q.mu.Unlock()
	}, func() {
		q.mu.Lock()
		q.all[0].list = append(q.all[0].list, 2)
		p := q.all[0]
		q.mu.Unlock()
		if len(p.list) == 2 {
			q.x++
		}
	})
}

// What is appended is found by appending.
func TestNoRaceAppendedByACall(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, func() int {
			q.list = append(q.list, 5)
			return len(q.list)
		}())
		last := q.list[len(q.list)-1]
		q.mu.Unlock()
		if last == 2 {
			q.x++
		}
	})
}

// An append that finds no room for all of its elements in the rest of the array is in its place.
func TestNoRaceAppendedMoreThanFits(t *testing.T) {
	q := &queue{list: make([]int, 0, 2)}
	old := q.list[:2]
	inTurn(func() {
		q.x = 1
		q.add(1, 2, 3)
	}, func() {
		q.add(4)
		q.mu.Lock()
		untouched := old[0] == 0
		q.mu.Unlock()
		if untouched {
			q.x++
		}
	})
}

func TestNoRaceAppendedByThree(t *testing.T) {
	q := &queue{}
	told := false
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, 2)
		q.more = q.list
		q.mu.Unlock()
	}, func() {
		q.add(3)
		q.mu.Lock()
		told = len(q.more) == 2
		q.mu.Unlock()
		if told {
			q.x++
		}
	})
}

func TestRaceAppendedByThree(t *testing.T) {
	q := &queue{}
	inTurn(q.first, func() {
		q.add(2)
	}, func() {
		q.add(3)
		q.x++
	})
}

// What is appended was another list's.
func TestRaceAppendedWhatOthersHave(t *testing.T) {
	q, other := &queue{}, []int{3, 4}
	inTurn(q.first, func() {
		q.mu.Lock()
		q.list = append(q.list, other...)
		for _, v := range other {
			q.list = append(q.list, v)
		}
		q.mu.Unlock()
		q.x++
	})
}

// Nobody holds the lock.
func TestRaceAppendedWithoutLock(t *testing.T) {
	q := &queue{list: make([]int, 0, 9)}
	inTurn(func() {
		q.list = append(q.list, 1)
		q.add(2)
	}, func() {
		q.add(3)
		q.list = append(q.list, 4)
	})
}

// The list itself races with its reader.
func TestRaceAppendedAndRead(t *testing.T) {
	q := &queue{list: make([]int, 0, 9)}
	sum := 0
	inTurn(func() {
		sum += len(q.list)
		q.mu.Lock()
		q.more = append(q.more, 1)
		q.mu.Unlock()
	}, func() {
		q.mu.Lock()
		q.more = append(q.more, 1)
		q.mu.Unlock()
		q.add(3)
	})
}
