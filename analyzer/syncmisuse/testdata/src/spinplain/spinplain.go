package spinplain

import (
	"runtime"
	"sync/atomic"
	"time"
)

type worker struct {
	done bool
	flag atomic.Bool
	quit chan struct{}
}

func (w *worker) spin() {
	for !w.done { // want `the loop waits for w.done to change, which is read plainly`
		runtime.Gosched()
	}
}

func (w *worker) selects() {
	for { // want `the loop waits for w.done to change, which is read plainly`
		select {
		default:
		}
		if w.done {
			break
		}
	}
}

func local() {
	done := false
	go func() { done = true }()
	for !done { // want `the loop waits for done to change, which is read plainly`
		time.Sleep(time.Millisecond)
	}
}

func (w *worker) atomically() {
	for !w.flag.Load() {
		runtime.Gosched()
	}
}

func (w *worker) receives() {
	for !w.done {
		<-w.quit
	}
}

func (w *worker) works() {
	for !w.done {
		w.step()
	}
}

func (w *worker) step() { w.done = true }
