package returnlocked

import "sync"

type t struct {
	mu sync.Mutex
	n  int
}

func (t *t) forgets(ok bool) int {
	t.mu.Lock()
	if !ok {
		return 0 // want `the function returns here with t.mu locked, and elsewhere unlocks it`
	}
	n := t.n
	t.mu.Unlock()
	return n
}

func (t *t) forgetsAtTheEnd(ok bool) {
	t.mu.Lock()
	if !ok {
		t.mu.Unlock()
		return
	}
	t.n++
} // want `the function returns here with t.mu locked, and elsewhere unlocks it`

func (t *t) deferred(ok bool) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !ok {
		return 0
	}
	return t.n
}

func (t *t) deferredLiteral(ok bool) int {
	t.mu.Lock()
	defer func() {
		t.mu.Unlock()
	}()
	if !ok {
		return 0
	}
	return t.n
}

func (t *t) lockIf(ok bool) bool {
	t.mu.Lock()
	if ok {
		return true
	}
	t.mu.Unlock()
	return false
}

func (t *t) handsOut() func() {
	t.mu.Lock()
	if t.n == 0 {
		t.mu.Unlock()
		return nil
	}
	return t.mu.Unlock
}

func (t *t) panics(ok bool) {
	t.mu.Lock()
	if !ok {
		panic("not ok")
	}
	t.mu.Unlock()
}
