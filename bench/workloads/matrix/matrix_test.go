// Package matrix multiplies matrices with one goroutine for each band of rows: accesses to shared
// slices without locks.
package matrix

import (
	"sync"
	"testing"
)

const (
	size  = 400
	bands = 4
)

type matrix [][]float64

func newMatrix(at func(i, j int) float64) matrix {
	m := make(matrix, size)
	for i := range m {
		m[i] = make([]float64, size)
		for j := range m[i] {
			m[i][j] = at(i, j)
		}
	}
	return m
}

func (m matrix) product(a, b matrix, from, to int) {
	for i := from; i < to; i++ {
		for j := range m[i] {
			sum := 0.0
			for k := range a[i] {
				sum += a[i][k] * b[k][j]
			}
			m[i][j] = sum
		}
	}
}

func TestProduct(t *testing.T) {
	a := newMatrix(func(i, j int) float64 { return float64(i + j) })
	one := newMatrix(func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	})
	for range 3 {
		c := newMatrix(func(i, j int) float64 { return 0 })
		var wg sync.WaitGroup
		for b := range bands {
			wg.Go(func() { c.product(a, one, b*size/bands, (b+1)*size/bands) })
		}
		wg.Wait()
		for i := range c {
			for j := range c[i] {
				if c[i][j] != a[i][j] {
					t.Fatalf("[%d][%d] = %v, want %v", i, j, c[i][j], a[i][j])
				}
			}
		}
	}
}
