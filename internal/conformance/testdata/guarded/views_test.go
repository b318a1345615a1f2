// Strings that are made of bytes without a copy, as many programs do for speed. What looks into such a string is not recorded.

package guarded

import (
	"strings"
	"sync"
	"testing"
	"unsafe"
)

func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func castView(b []byte) string { return *(*string)(unsafe.Pointer(&b)) }

type viewed string

func TestNoRaceViewCompared(t *testing.T) {
	b := []byte("idle")
	noticed(t, func() { copy(b, "stop") }, func() bool { return view(b) == "stop" })
}

func TestNoRaceViewCast(t *testing.T) {
	b := []byte("idle")
	noticed(t, func() { b[0] = 's' }, func() bool { return castView(b)[0] == 's' })
}

func TestNoRaceViewOfNamedType(t *testing.T) {
	b := []byte("idle")
	noticed(t, func() { copy(b, "stop") }, func() bool { return *(*viewed)(unsafe.Pointer(&b)) == "stop" })
}

func TestNoRaceViewKey(t *testing.T) {
	b, known := []byte("idle"), map[string]bool{"stop": true}
	noticed(t, func() { copy(b, "stop") }, func() bool { return known[view(b)] })
}

func TestNoRaceViewBeforeCall(t *testing.T) {
	b := []byte("idle")
	all := func() string { return strings.Repeat("!", 1) }
	noticed(t, func() { copy(b, "stop") }, func() bool { return unsafe.String(&b[0], len(b))+all() == "stop!" })
}

// Each goroutine looks at its own part.
func TestNoRaceViewOfPart(t *testing.T) {
	b := make([]byte, 16)
	part := func(from, to int) string { return unsafe.String(&b[0], len(b))[from:to] }
	done := make(chan bool)
	go func() { b[1] = 'x'; done <- part(0, 8) == "" }()
	b[9] = 'y'
	_ = part(8, 16) == "" || (*(*string)(unsafe.Pointer(&b)))[8:] == ""
	<-done
}

// The length and the pointer are loaded after the receive.
func TestNoRaceViewBeforeReceive(t *testing.T) {
	var p *byte
	n, got := 0, make(chan string)
	go func() {
		b := []byte("stop")
		p, n = &b[0], len(b)
		got <- "stop"
	}()
	_ = unsafe.String(p, n) == <-got
}

func TestNoRaceViewBeforeLock(t *testing.T) {
	var mu sync.Mutex
	p, n := new(byte), 1
	locked := func() string { mu.Lock(); return "" }
	set := func(b []byte) {
		mu.Lock()
		p, n = &b[0], len(b)
		mu.Unlock()
	}
	oneByOne(func() { set([]byte("stop")) }, func() {
		_ = unsafe.String(p, n) + locked()
		mu.Unlock()
	})
}

func TestRaceViewOfOthers(t *testing.T) {
	one, two := []byte("one"), []byte("two")
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		_ = view(one) == "two"
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		_ = view(two) == "one"
		b.mu.Unlock()
		b.x = 2
	})
}

func TestRaceViewMade(t *testing.T) {
	b := []byte("idle")
	done := make(chan bool)
	go func() { b[1] = 'x'; done <- true }()
	_ = view(b) == "stop"
	<-done
}
