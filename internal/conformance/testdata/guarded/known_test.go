// Calls through interfaces of which the compiler knows what they hold.

package guarded

import (
	"sync"
	"testing"
)

// The flag is read by a wrapper of the compiler's, which reads the whole value. Nothing but that read says that the reader of out has
// seen the other's section.

type lamp struct{ flag bool }

func (a lamp) ask() bool       { return a.flag }
func (a lamp) asked(yes *bool) { *yes = a.flag }

func (a *lamp) self() bool {
	var i asker = a
	return i.ask()
}

type asker interface{ ask() bool }

type lampBox struct {
	asker
	in asker
}

var aside lampBox

func asks(i asker) bool { return i.ask() }

func TestNoRaceKnownVariable(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		var i asker = h
		first := i.ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownVariable(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	var i asker = h
	first := i.ask()
	<-done
	_ = first
}

func TestNoRaceKnownConverted(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		i := asker(h)
		first := i.ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownConverted(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	i := asker(h)
	first := i.ask()
	<-done
	_ = first
}

func TestNoRaceKnownAssigned(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		var i asker
		i = h
		first := i.ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownAssigned(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	var i asker
	i = h
	first := i.ask()
	<-done
	_ = first
}

func TestNoRaceKnownInlined(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		first := asks(h)
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownInlined(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	first := asks(h)
	<-done
	_ = first
}

func TestNoRaceKnownLiteral(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		first := func(i asker) bool { return i.ask() }(h)
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownLiteral(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	first := func(i asker) bool { return i.ask() }(h)
	<-done
	_ = first
}

func TestNoRaceKnownMethod(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		first := h.self()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownMethod(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	first := h.self()
	<-done
	_ = first
}

func TestNoRaceKnownResults(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		i, _ := func() (asker, int) { return h, 0 }()
		first := i.ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownResults(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	i, _ := func() (asker, int) { return h, 0 }()
	first := i.ask()
	<-done
	_ = first
}

func TestNoRaceKnownField(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		b := lampBox{asker: nil, in: h}
		first := b.in.ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownField(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	b := lampBox{asker: nil, in: h}
	first := b.in.ask()
	<-done
	_ = first
}

func TestNoRaceKnownComposite(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		first := lampBox{in: h}.in.ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownComposite(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	first := lampBox{in: h}.in.ask()
	<-done
	_ = first
}

func TestNoRaceKnownEmbedded(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		b := lampBox{asker: h}
		first := b.ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownEmbedded(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	b := lampBox{asker: h}
	first := b.ask()
	<-done
	_ = first
}

func TestNoRaceKnownElement(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		all := [4]asker{h}
		first := all[0].ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownElement(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	all := [4]asker{h}
	first := all[0].ask()
	<-done
	_ = first
}

func TestNoRaceKnownPointer(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		var i asker = h
		p := &i
		first := (*p).ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownPointer(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	var i asker = h
	p := &i
	first := (*p).ask()
	<-done
	_ = first
}

func TestNoRaceKnownDeferred(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		var i interface{ asked(*bool) } = h
		var yes bool
		func() { defer i.asked(&yes) }()
		first := yes
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownDeferred(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	var i interface{ asked(*bool) } = h
	var yes bool
	func() { defer i.asked(&yes) }()
	first := yes
	<-done
	_ = first
}

func TestNoRaceKnownStored(t *testing.T) {
	var mu sync.Mutex
	h, out := &lamp{}, 0
	oneByOne(func() {
		out = 1
		mu.Lock()
		h.flag = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		aside.in = h
		first := aside.in.ask()
		mu.Unlock()
		if first {
			out = 2
		}
	})
	_ = out
}

func TestRaceKnownStored(t *testing.T) {
	h := &lamp{}
	done := make(chan bool)
	go func() { h.flag = true; done <- true }()
	aside.in = h
	first := aside.in.ask()
	<-done
	_ = first
}
