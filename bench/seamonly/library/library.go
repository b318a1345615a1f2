// Package library has benchmarks of code that is not recorded, but runs in a binary with the hooks:
// it is in a module of its own, so `racepred test` of the module that uses it does not rewrite it.
package library

import (
	"encoding/json"
	"sync"
	"testing"
)

type node struct{ left, right *node }

func build(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{build(depth - 1), build(depth - 1)}
}

type record struct {
	Name  string
	Tags  []string
	Inner struct{ A, B int }
	M     map[string]int
}

var sink any

// Alloc allocates small objects that die at once.
func Alloc(b *testing.B) {
	for range b.N {
		sink = new([4]int)
	}
}

// Tree allocates binary trees.
func Tree(b *testing.B) {
	for range b.N {
		sink = build(8)
	}
}

// Slice allocates 4 KiB.
func Slice(b *testing.B) {
	for range b.N {
		sink = make([]byte, 4096)
	}
}

// JSON encodes and decodes.
func JSON(b *testing.B) {
	r := record{Name: "name", Tags: []string{"a", "b"}, M: map[string]int{"x": 1}}
	for range b.N {
		data, err := json.Marshal(&r)
		if err != nil {
			b.Fatal(err)
		}
		var got record
		if err := json.Unmarshal(data, &got); err != nil {
			b.Fatal(err)
		}
	}
}

// Map counts in a map of its own.
func Map(b *testing.B) {
	m := make(map[int]int)
	for i := range b.N {
		m[i%1000]++
	}
}

// Global counts in a map that others could reach.
func Global(b *testing.B) {
	global = make(map[int]int)
	for i := range b.N {
		global[i%1000]++
	}
}

var global map[int]int

// Mutex locks and unlocks without contention.
func Mutex(b *testing.B) {
	var mu sync.Mutex
	for range b.N {
		mu.Lock()
		mu.Unlock()
	}
}

// Channel passes values between two goroutines.
func Channel(b *testing.B) {
	c := make(chan int)
	go func() {
		for i := range b.N {
			c <- i
		}
		close(c)
	}()
	for range c {
	}
}

// Goroutine starts goroutines and waits for each.
func Goroutine(b *testing.B) {
	for range b.N {
		var wg sync.WaitGroup
		wg.Go(func() {})
		wg.Wait()
	}
}
