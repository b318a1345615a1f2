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
	log.Println(c.n) // want `call of log.Println while c.mu is held: nobody records`
	c.f()            // want `call of c.f while c.mu is held`
	c.own()
	_ = strings.ToUpper("x")
	c.mu.Unlock()
	log.Println(c.n)
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
		log.Print("x") // want `call of log.Print while c.rw is held`
	}
	return os.Remove("x") // want `call of os.Remove while c.rw is held`
}

func (c *counter) both() {
	c.Lock()
	c.mu.Lock()
	log.Print() // want `call of log.Print while c and c.mu are held`
	c.mu.Unlock()
	log.Print() // want `call of log.Print while c is held`
	c.Unlock()
}

func (c *counter) branches() {
	c.mu.Lock()
	if c.n == 0 {
		c.mu.Unlock()
		log.Print("early")
		return
	}
	log.Print("late") // want `call of log.Print while c.mu is held`
	switch c.n {
	case 1:
		c.mu.Unlock()
	case 2:
		log.Print("two") // want `call of log.Print while c.mu is held`
	}
	log.Print("unknown")
}

func (c *counter) literals() {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := func() { log.Print("when?") }
	f()
	go log.Print("not here")
	go func() {
		c.rw.Lock()
		log.Print("here") // want `call of log.Print while c.rw is held`
		c.rw.Unlock()
	}()
}

func (c *counter) deferred() {
	defer log.Print("after unlock")
	c.mu.Lock()
	defer log.Print("unlocked by then")
	c.rw.Lock()
	defer c.rw.Unlock()
	defer log.Print(c.n) // want `call of log.Print while c.rw is held`
	c.mu.Unlock()
}

func (c *counter) without() {
	log.Print(c.n)
	c.mu.Lock()
	c.mu.Unlock()
	c.w.Write(nil)
}
