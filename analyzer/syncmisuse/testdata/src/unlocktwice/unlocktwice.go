package unlocktwice

import "sync"

type t struct {
	mu sync.Mutex
	n  int
}

func (t *t) forgotReturn(ok bool) {
	t.mu.Lock()
	if !ok {
		t.mu.Unlock()
	}
	t.n++
	t.mu.Unlock() // want `t.mu is unlocked here, and has been unlocked already on one of the ways that lead here`
}

func (t *t) twice() {
	t.mu.Lock()
	t.mu.Unlock()
	t.mu.Unlock() // want `t.mu is unlocked here, and has been unlocked already`
}

func (t *t) deferred(ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !ok {
		t.mu.Unlock()
		return // want `t.mu has been unlocked when the function returns here, and is unlocked again by a deferred call`
	}
}

func (t *t) meanwhile(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.Unlock()
	f()
	t.mu.Lock()
}

func (t *t) returns(ok bool) {
	t.mu.Lock()
	if !ok {
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
}

func (t *t) remembers(ok bool) {
	t.mu.Lock()
	locked := true
	if !ok {
		t.mu.Unlock()
		locked = false
	}
	if locked {
		t.mu.Unlock()
	}
}

func (t *t) callersLock() {
	t.mu.Unlock()
	t.mu.Lock()
}
