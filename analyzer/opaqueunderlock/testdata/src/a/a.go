package a

import (
	"io"
	"log"
	"os"
	"strings"
	"sync"
)

type counter struct {
	mu sync.Mutex
	rw sync.RWMutex
	n  int
	w  io.Writer
	f  func()
	sync.Mutex
}

func (c *counter) wrong() {
	c.mu.Lock()
	c.n++
	os.Remove("x")   // want `call of os.Remove while c.mu is held: nobody records`
	log.Println(c.n) // all that it reads is a number
	c.f()            // want `call of c.f while c.mu is held`
	c.own()
	_ = strings.ToUpper("x")
	c.mu.Unlock()
	os.Remove("x")
}

func (c *counter) own() { c.n++ }

func (c *counter) toTheEnd() error {
	c.rw.RLock()
	defer c.rw.RUnlock()
	if c.n > 0 {
		_, err := c.w.Write(nil) // want `call of c.w.Write while c.rw is held`
		return err
	}
	for range c.n {
		os.Remove("x") // want `call of os.Remove while c.rw is held`
	}
	return os.Remove("x") // want `call of os.Remove while c.rw is held`
}

func (c *counter) both() {
	c.Lock()
	c.mu.Lock()
	os.Remove("x") // want `call of os.Remove while c and c.mu are held`
	c.mu.Unlock()
	os.Remove("x") // want `call of os.Remove while c is held`
	c.Unlock()
}

func (c *counter) branches() {
	c.mu.Lock()
	if c.n == 0 {
		c.mu.Unlock()
		os.Remove("early")
		return
	}
	os.Remove("late") // want `call of os.Remove while c.mu is held`
	switch c.n {
	case 1:
		c.mu.Unlock()
	case 2:
		os.Remove("two") // want `call of os.Remove while c.mu is held`
	}
	os.Remove("unknown")
}

func (c *counter) literals() {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := func() { os.Remove("when?") }
	f()
	go os.Remove("not here")
	go func() {
		c.rw.Lock()
		os.Remove("here") // want `call of os.Remove while c.rw is held`
		c.rw.Unlock()
	}()
}

func (c *counter) deferred() {
	defer os.Remove("after unlock")
	c.mu.Lock()
	defer os.Remove("unlocked by then")
	c.rw.Lock()
	defer c.rw.Unlock()
	defer os.Remove("c.n") // want `call of os.Remove while c.rw is held`
	c.mu.Unlock()
}

func (c *counter) without() {
	os.Remove("c.n")
	c.mu.Lock()
	c.mu.Unlock()
	c.w.Write(nil)
}
