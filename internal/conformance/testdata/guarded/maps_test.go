// A change of a map leaves the other keys as they are: a goroutine that looks at the map after its own change sees what others did before.

package guarded

import (
	"maps"
	"sync"
	"testing"
)

// directory is a map behind a lock.
type directory struct {
	mu sync.Mutex
	m  map[string]int
	x  int
}

func newDirectory() *directory { return &directory{m: map[string]int{}} }

func (d *directory) put(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.m[key] = 1
}

func TestNoRaceMapLenAfterPut(t *testing.T) {
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.put("a")
	}, func() {
		d.mu.Lock()
		d.m["b"] = 1
		n := len(d.m)
		d.mu.Unlock()
		if n == 2 {
			d.x++
		}
	})
}

func TestNoRaceMapOtherKeyAfterPut(t *testing.T) {
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.put("a")
	}, func() {
		d.mu.Lock()
		d.m["b"]++
		_, there := d.m["a"]
		d.mu.Unlock()
		if there {
			d.x++
		}
	})
}

func TestNoRaceMapRangeAfterPut(t *testing.T) {
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.put("a")
	}, func() {
		n := 0
		d.mu.Lock()
		d.m["b"] = 1
		for range d.m {
			n++
		}
		d.mu.Unlock()
		if n == 2 {
			d.x++
		}
	})
}

func TestNoRaceMapLenAfterDelete(t *testing.T) {
	d := newDirectory()
	d.m["a"], d.m["b"] = 1, 1
	inTurn(func() {
		d.x = 1
		d.mu.Lock()
		delete(d.m, "a")
		d.mu.Unlock()
	}, func() {
		d.mu.Lock()
		delete(d.m, "b")
		empty := len(d.m) == 0
		d.mu.Unlock()
		if empty {
			d.x++
		}
	})
}

func TestNoRaceMapSameKey(t *testing.T) { // the order of changes of one key is seen
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.mu.Lock()
		d.m["a"] = 1
		d.mu.Unlock()
	}, func() {
		d.mu.Lock()
		d.m["a"] += 2
		n := d.m["a"]
		d.mu.Unlock()
		if n == 3 {
			d.x++
		}
	})
}

func TestNoRaceMapLastWriter(t *testing.T) {
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.mu.Lock()
		d.m["a"] = 1
		d.mu.Unlock()
	}, func() {
		d.mu.Lock()
		d.m["a"] = 2
		d.mu.Unlock()
	}, func() {
		d.mu.Lock()
		n := d.m["a"]
		d.mu.Unlock()
		if n == 2 {
			d.mu.Lock()
			d.mu.Unlock()
			d.x++
		}
	})
}

func TestNoRaceMapListOfKey(t *testing.T) { // where the elements go depends on the list before
	var mu sync.Mutex
	lists := map[string][]int{"a": make([]int, 0, 4)}
	array := lists["a"][:4]
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		lists["a"] = append(lists["a"], 7)
		mu.Unlock()
	}, func() {
		mu.Lock()
		lists["a"] = append(lists["a"], 8)
		second := array[1] == 8
		mu.Unlock()
		if second {
			x++
		}
	})
}

func TestNoRaceMapClone(t *testing.T) {
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.put("a")
	}, func() {
		d.mu.Lock()
		c := maps.Clone(d.m)
		d.mu.Unlock()
		if len(c) == 1 {
			d.x++
		}
	})
}

func TestNoRaceMapInsideOther(t *testing.T) { // another goroutine does the work of the section
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.put("a")
	}, func() {
		d.mu.Lock()
		n := make(chan int)
		go func() {
			d.m["b"] = 1
			n <- len(d.m)
		}()
		both := <-n == 2
		d.mu.Unlock()
		if both {
			d.x++
		}
	})
}

func TestRaceMapPut(t *testing.T) {
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.put("a")
	}, func() {
		d.put("b")
		d.x++
	})
}

func TestRaceMapSameKey(t *testing.T) {
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.mu.Lock()
		d.m["a"]++
		d.mu.Unlock()
	}, func() {
		d.mu.Lock()
		d.m["a"]++
		d.mu.Unlock()
		d.x++
	})
}

func TestRaceMapDelete(t *testing.T) {
	d := newDirectory()
	d.m["a"], d.m["b"] = 1, 1
	inTurn(func() {
		d.x = 1
		d.mu.Lock()
		delete(d.m, "a")
		d.mu.Unlock()
	}, func() {
		d.mu.Lock()
		delete(d.m, "b")
		d.mu.Unlock()
		d.x++
	})
}

func TestRaceMapSeenLater(t *testing.T) { // what both put is seen after the pair
	d := newDirectory()
	inTurn(func() {
		d.x = 1
		d.put("a")
	}, func() {
		d.put("b")
		d.x++
		d.mu.Lock()
		d.x += len(d.m)
		d.mu.Unlock()
	})
}

func TestRaceMapClone(t *testing.T) {
	m := map[string]int{}
	inTurn(func() { m["a"] = 1 }, func() { _ = maps.Clone(m) })
}
