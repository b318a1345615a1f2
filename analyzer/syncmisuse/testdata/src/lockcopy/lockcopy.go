package lockcopy

import (
	"slices"
	"sync"
)

type item struct {
	mu sync.Mutex
	n  int
}

func sends(ch chan item, it *item) {
	ch <- *it // want `the send copies a sync.Mutex, which is in what is sent`
}

func sendsPointer(ch chan *item, it *item) { ch <- it }

func moves(a, b []item) []item {
	copy(a, b)             // want `copy copies a sync.Mutex, which is in the elements`
	a = append(a, b...)    // want `append copies a sync.Mutex, which is in the elements`
	return slices.Clone(a) // want `slices.Clone copies a sync.Mutex, which is in the elements`
}

func movesPointers(a, b []*item) []*item {
	copy(a, b)
	return append(a, b...)
}
