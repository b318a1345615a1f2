// Package library shares values whose code lies in the standard library.
package library

import (
	"bufio"
	"bytes"
	"container/list"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// Two goroutines write into one bytes.Buffer.
func TestRaceBuffer(t *testing.T) {
	var b bytes.Buffer
	sched.InTurn(
		func() { b.WriteString("one") },
		func() { b.WriteByte('2') },
	)
}

// The buffer has its lock.
func TestNoRaceBuffer(t *testing.T) {
	var (
		mu sync.Mutex
		b  bytes.Buffer
	)
	write := func() {
		mu.Lock()
		b.WriteString("one")
		mu.Unlock()
	}
	sched.InTurn(write, write)
	if b.Len() != 6 {
		t.Errorf("%d bytes, want 6", b.Len())
	}
}

// Two goroutines append to one strings.Builder.
func TestRaceBuilder(t *testing.T) {
	b := new(strings.Builder)
	sched.InTurn(
		func() { b.WriteString("one") },
		func() { b.WriteString("two") },
	)
}

// Two goroutines push onto one list.
func TestRaceList(t *testing.T) {
	l := list.New()
	sched.InTurn(
		func() { l.PushBack(1) },
		func() { l.PushFront(2) },
	)
}

// Two goroutines write through one bufio.Writer.
func TestRaceWriter(t *testing.T) {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	sched.InTurn(
		func() { _, _ = w.WriteString("one") },
		func() { _ = w.Flush() },
	)
}

// A slice is sorted while another goroutine reads it.
func TestRaceSort(t *testing.T) {
	s := []int{3, 1, 2}
	sched.InTurn(
		func() { sort.Ints(s) },
		func() { _ = s[0] },
	)
}

// The lock is held for the buffer, but the goroutine looks at the length without it.
func TestRaceBufferLength(t *testing.T) {
	var (
		mu sync.Mutex
		b  bytes.Buffer
	)
	sched.InTurn(
		func() {
			mu.Lock()
			b.WriteString("one")
			mu.Unlock()
		},
		func() {
			if b.Len() > 100 {
				t.Log("long")
			}
		},
	)
}
