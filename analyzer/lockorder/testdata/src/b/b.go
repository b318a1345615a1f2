// Package b takes locks of package a in another order than a does.
package b

import "a"

import "sync"

var mu sync.Mutex

func Bad(r *a.Registry, acc *a.Account) {
	acc.Mu.Lock()
	defer acc.Mu.Unlock()
	r.Each() // want `Registry.mu is locked while Account.Mu is held, and elsewhere Account.Mu while Registry.mu is held \(a/a.go:`
}

func Good(r *a.Registry) {
	mu.Lock()
	defer mu.Unlock()
	r.Each()
}
