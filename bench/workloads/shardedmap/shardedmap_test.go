// Package shardedmap counts in a map that is split into shards with a mutex each.
package shardedmap

import (
	"sync"
	"testing"
)

const shards = 16

type shard struct {
	mu sync.Mutex
	m  map[uint64]uint64
	_  [40]byte
}

type counts [shards]shard

func (c *counts) add(k uint64) {
	s := &c[k%shards]
	s.mu.Lock()
	s.m[k]++
	s.mu.Unlock()
}

func TestCounts(t *testing.T) {
	const workers, rounds, keys = 4, 1_000_000, 4096
	var c counts
	for i := range c {
		c[i].m = make(map[uint64]uint64)
	}
	var wg sync.WaitGroup
	for w := range uint64(workers) {
		wg.Go(func() {
			x := w + 1
			for range rounds {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
				c.add(x % keys)
			}
		})
	}
	wg.Wait()
	var sum uint64
	for i := range c {
		for _, n := range c[i].m {
			sum += n
		}
	}
	if sum != workers*rounds {
		t.Fatalf("counted %d, want %d", sum, workers*rounds)
	}
}
