package doublechecked

import (
	"sync"
	"sync/atomic"
)

type conf struct{ n int }

var (
	mu     sync.Mutex
	global *conf
	loaded atomic.Pointer[conf]
)

func get() *conf {
	if global == nil { // want `global is looked at here without the lock that it is set under`
		mu.Lock()
		defer mu.Unlock()
		if global == nil {
			global = &conf{}
		}
	}
	return global
}

func getEarly() *conf {
	if global != nil { // want `global is looked at here without the lock that it is set under`
		return global
	}
	mu.Lock()
	defer mu.Unlock()
	if global != nil {
		return global
	}
	global = &conf{}
	return global
}

func getAtomic() *conf {
	if c := loaded.Load(); c != nil {
		return c
	}
	mu.Lock()
	defer mu.Unlock()
	if c := loaded.Load(); c != nil {
		return c
	}
	loaded.Store(&conf{})
	return loaded.Load()
}

type lazy struct {
	rw sync.RWMutex
	m  map[string]int
}

func (l *lazy) get(k string) int {
	l.rw.RLock()
	if l.m != nil {
		defer l.rw.RUnlock()
		return l.m[k]
	}
	l.rw.RUnlock()
	l.rw.Lock()
	defer l.rw.Unlock()
	if l.m == nil {
		l.m = map[string]int{}
	}
	return l.m[k]
}
