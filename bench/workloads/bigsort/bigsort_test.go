// Package bigsort sorts a big slice by merging, halves in parallel.
package bigsort

import (
	"sync"
	"testing"
)

// mergeSort sorts a with the help of buf, which is as long.
func mergeSort(a, buf []int32, depth int) {
	if len(a) <= 12 {
		for i := 1; i < len(a); i++ {
			for j := i; j > 0 && a[j] < a[j-1]; j-- {
				a[j], a[j-1] = a[j-1], a[j]
			}
		}
		return
	}
	m := len(a) / 2
	if depth > 0 {
		var wg sync.WaitGroup
		wg.Go(func() { mergeSort(a[:m], buf[:m], depth-1) })
		mergeSort(a[m:], buf[m:], depth-1)
		wg.Wait()
	} else {
		mergeSort(a[:m], buf[:m], 0)
		mergeSort(a[m:], buf[m:], 0)
	}
	copy(buf, a)
	i, j := 0, m
	for k := range a {
		if j == len(a) || i < m && buf[i] <= buf[j] {
			a[k] = buf[i]
			i++
		} else {
			a[k] = buf[j]
			j++
		}
	}
}

func TestSort(t *testing.T) {
	const n = 4_000_000
	a := make([]int32, n)
	x := uint32(1)
	for i := range a {
		x = x*1664525 + 1013904223
		a[i] = int32(x >> 1)
	}
	mergeSort(a, make([]int32, n), 3)
	for i := 1; i < n; i++ {
		if a[i-1] > a[i] {
			t.Fatalf("not sorted at %d", i)
		}
	}
}
