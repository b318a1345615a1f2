// Functions of the library that go over memory of their caller: those of package slices, which are compiled where they are called, and others. What a section stores with
// them, the traps look at with them.

package guarded

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"testing"
)

func TestNoRaceSlicesInsert(t *testing.T) {
	list := []int{1, 2, 3}
	noticed(t, func() { list = slices.Insert(list, 1, 7) }, func() bool { return slices.Contains(list, 7) })
}

func TestNoRaceSlicesDelete(t *testing.T) {
	list := []int{1, 2, 3}
	noticed(t, func() { list = slices.Delete(list, 0, 1) }, func() bool { return slices.Index(list, 1) < 0 })
}

func TestNoRaceSlicesSort(t *testing.T) {
	list := []int{3, 1, 2}
	noticed(t, func() { slices.Sort(list) }, func() bool { return slices.IsSorted(list) })
}

func TestNoRaceSlicesSortFunc(t *testing.T) {
	list := []string{"b", "a"}
	noticed(t, func() { slices.SortFunc(list, func(a, b string) int { return int(a[0]) - int(b[0]) }) }, func() bool {
		at, ok := slices.BinarySearch(list, "a")
		return ok && at == 0
	})
}

func TestNoRaceSlicesReplace(t *testing.T) {
	list := []int{1, 2, 3}
	noticed(t, func() { list = slices.Replace(list, 0, 2, 9) }, func() bool { return slices.Max(list) == 9 })
}

func TestNoRaceSlicesCompact(t *testing.T) {
	list := []int{1, 1, 3}
	noticed(t, func() { list = slices.Compact(list) }, func() bool { return len(list) == 2 && slices.Equal(list, []int{1, 3}) })
}

// The comparison is not recorded, and changes what it is of.
func TestNoRaceSlicesCallUnrecorded(t *testing.T) {
	src := rand.NewChaCha8([32]byte{1})
	first := rand.NewChaCha8([32]byte{1}).Uint64()
	next := src.Uint64
	noticed(t, func() { slices.IndexFunc([]int{1}, func(int) bool { return next() == 0 }) }, func() bool { return src.Uint64() != first })
}

func TestNoRaceSlicesOfOthers(t *testing.T) {
	list := []int{1, 2, 3}
	noticed(t, func() {
		for i, v := range slices.All([]int{7, 8, 9}) {
			list[i] = v
		}
	}, func() bool { return slices.Contains(slices.Collect(slices.Values(list)), 8) })
}

func TestRaceSlicesContains(t *testing.T) {
	one, two := []int{1, 2}, []int{3, 4}
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		_ = slices.Contains(one, 2)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		_ = slices.Contains(two, 2)
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceSlicesSort(t *testing.T) {
	one, two := []int{2, 1}, []int{4, 3}
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		slices.Sort(one)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		slices.Sort(two)
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceSlicesSortFunc(t *testing.T) {
	one, two := []int{2, 1}, []int{4, 3}
	less := func(a, b int) int { return a - b }
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		slices.SortFunc(one, less)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		slices.SortFunc(two, less)
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceSlicesChange(t *testing.T) {
	one, two := []int{2, 1}, []int{4, 3}
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		one = slices.Insert(one, 0, 5)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		two = slices.Delete(two, 0, 1)
		b.mu.Unlock()
		b.x++
	})
}

// Nothing orders the search and the store of an element that it reads.
func TestRaceSlicesSearched(t *testing.T) {
	list := []int{1, 2, 3}
	inTurn(func() { list[2] = 4 }, func() { _ = slices.Index(list, 3) })
}

// The search ends before.
func TestNoRaceSlicesSearched(t *testing.T) {
	list := []int{1, 2, 3}
	inTurn(func() { list[2] = 4 }, func() { _ = slices.Index(list, 1) })
}

type pairOf struct {
	name  string
	first int
}

func TestNoRaceSortSliceOfPairs(t *testing.T) {
	list := []pairOf{{"b", 2}, {"a", 1}}
	noticed(t, func() { sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name }) }, func() bool { return list[0].first == 1 })
}

func TestNoRaceSortSliceNumbers(t *testing.T) {
	list := []int{2, 1}
	noticed(t, func() { sort.SliceStable(list, func(i, j int) bool { return list[i] < list[j] }) }, func() bool { return list[0] == 1 })
}

// The comparison is not recorded.
func TestNoRaceSortSliceUnrecorded(t *testing.T) {
	src := rand.NewChaCha8([32]byte{1})
	first := rand.NewChaCha8([32]byte{1}).Uint64()
	less := passed(func(i, j int) bool { return src.Uint64() == 0 })
	noticed(t, func() { sort.Slice([]int{2, 1}, less) }, func() bool { return src.Uint64() != first })
}

func TestRaceSortSlice(t *testing.T) {
	one, two := []pairOf{{"b", 2}, {"a", 1}}, []pairOf{{"d", 2}, {"c", 1}}
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		sort.Slice(one, func(i, j int) bool { return one[i].name < one[j].name })
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		sort.Slice(two, func(i, j int) bool { return two[i].name < two[j].name })
		b.mu.Unlock()
		b.x++
	})
}

// Nothing orders the sort and the store of an element that it moves.
func TestRaceSortSliceMoved(t *testing.T) {
	list := []pairOf{{"b", 2}, {"a", 1}}
	inTurn(func() { sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name }) }, func() { list[1].first = 3 })
}

func TestRaceErrorsIs(t *testing.T) {
	target := errors.New("a")
	var one, two error = fmt.Errorf("b: %w", target), errors.Join(target)
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		if !errors.Is(one, target) {
			b.left++
		}
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		var as *strconv.NumError
		if errors.As(two, &as) {
			b.right++
		}
		b.mu.Unlock()
		b.x++
	})
}

type countingError struct{ n int }

func (a *countingError) Error() string   { return "" }
func (a *countingError) Is(e error) bool { a.n++; return false }

// The error counts that it was asked.
func TestNoRaceErrorsIs(t *testing.T) {
	target := errors.New("a")
	e := &countingError{}
	noticed(t, func() { errors.Is(e, target) }, func() bool { return e.n > 0 })
}

func TestRaceText(t *testing.T) {
	u := &url.URL{Path: "/a b"}
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		_ = filepath.Join("a", "b")
		_ = u.String()
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		_ = path.Base("a/b")
		_ = u.Hostname()
		b.mu.Unlock()
		b.x++
	})
}

func TestNoRaceValues(t *testing.T) {
	v := url.Values{}
	noticed(t, func() { v.Add("a", "b") }, func() bool { return v.Has("a") })
}
