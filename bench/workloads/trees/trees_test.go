// Package trees builds and counts binary trees: allocation, and objects that die young.
package trees

import (
	"sync"
	"testing"
)

type tree struct{ left, right *tree }

func build(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{build(depth - 1), build(depth - 1)}
}

func (t *tree) count() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

func TestTrees(t *testing.T) {
	const depth, rounds, workers = 15, 60, 4
	long := build(depth)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range rounds {
				if n := build(depth).count(); n != 1<<(depth+1)-1 {
					t.Errorf("%d nodes", n)
				}
			}
		})
	}
	wg.Wait()
	if n := long.count(); n != 1<<(depth+1)-1 {
		t.Errorf("%d nodes", n)
	}
}
