// Timers that are stopped and set in sections, and functions that a timer starts.

package guarded

import (
	"sync"
	"testing"
	"time"
	"unique"
	"weak"
)

// A timer that was stopped has nothing on its channel, though its time had come.
func TestNoRaceTimerDrained(t *testing.T) {
	tm := time.NewTimer(time.Nanosecond)
	time.Sleep(time.Millisecond)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		tm.Stop()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := false
		select {
		case <-tm.C:
		default:
			ok = true
		}
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTimerPutOff(t *testing.T) {
	tm := time.NewTimer(time.Nanosecond)
	time.Sleep(time.Millisecond)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		tm.Reset(time.Hour)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := false
		select {
		case <-tm.C:
		default:
			ok = true
		}
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTimerSetOff(t *testing.T) {
	tm := time.NewTimer(time.Hour)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		tm.Reset(0)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := false
		select {
		case <-tm.C:
			ok = true
		default:
		}
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTickerStopped(t *testing.T) {
	tk := time.NewTicker(time.Nanosecond)
	time.Sleep(time.Millisecond)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		tk.Stop()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := false
		select {
		case <-tk.C:
		default:
			ok = true
		}
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTickerSlower(t *testing.T) {
	tk := time.NewTicker(time.Nanosecond)
	time.Sleep(time.Millisecond)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		tk.Reset(time.Hour)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := false
		select {
		case <-tk.C:
		default:
			ok = true
		}
		mu.Unlock()
		if ok {
			x++
		}
	})
	tk.Stop()
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

// The same outside of the sections.
func TestNoRaceTimerDrainedOutside(t *testing.T) {
	tm := time.NewTimer(time.Nanosecond)
	time.Sleep(time.Millisecond)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		tm.Stop()
		mu.Lock()
		mu.Unlock()
	}, func() {
		mu.Lock()
		mu.Unlock()
		select {
		case <-tm.C:
		default:
			x++
		}
	})
	if x != 2 {
		t.Error("the second goroutine did not see the first")
	}
}

func TestRaceTimerDrainedOutside(t *testing.T) {
	tm := time.NewTimer(time.Hour)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		tm.Stop()
		x = 1
		mu.Lock()
		mu.Unlock()
	}, func() {
		mu.Lock()
		mu.Unlock()
		select {
		case <-tm.C:
		default:
			x++
		}
	})
}

// Stop says whether what was on the channel was received before.
func TestNoRaceTimerReceived(t *testing.T) {
	tm := time.NewTimer(time.Nanosecond)
	time.Sleep(time.Millisecond)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		<-tm.C
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := !tm.Stop()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTimerReceivedOutside(t *testing.T) {
	tm := time.NewTimer(time.Nanosecond)
	time.Sleep(time.Millisecond)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		<-tm.C
		mu.Lock()
		mu.Unlock()
	}, func() {
		mu.Lock()
		mu.Unlock()
		if !tm.Reset(time.Hour) {
			x++
		}
	})
	if x != 2 {
		t.Error("the second goroutine did not see the first")
	}
}

// The function that the first section has started later takes the lock itself.
func TestNoRaceTimerFunc(t *testing.T) {
	var mu sync.Mutex
	x := 0
	ready := false
	inTurn(func() {
		x = 1
		mu.Lock()
		time.AfterFunc(time.Millisecond, func() {
			mu.Lock()
			ready = true
			mu.Unlock()
		})
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := ready
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

// It stops the timer before the function runs.
func TestNoRaceTimerFuncStopped(t *testing.T) {
	var mu sync.Mutex
	x := 0
	ran := false
	tm := time.AfterFunc(time.Hour, func() { ran = true })
	inTurn(func() {
		x = 1
		mu.Lock()
		tm.Stop()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := !tm.Reset(time.Hour)
		mu.Unlock()
		if ok {
			x++
		}
	})
	tm.Stop()
	if x != 2 || ran {
		t.Error("the second section did not see the first")
	}
}

func TestRaceTimersInSections(t *testing.T) {
	a, b := time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a.Reset(time.Minute)
		a.Stop()
		mu.Unlock()
	}, func() {
		mu.Lock()
		b.Reset(time.Minute)
		b.Stop()
		mu.Unlock()
		x++
	})
}

func TestRaceTickersInSections(t *testing.T) {
	a, b := time.NewTicker(time.Hour), time.NewTicker(time.Hour)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a.Reset(time.Minute)
		a.Stop()
		mu.Unlock()
	}, func() {
		mu.Lock()
		b.Reset(time.Minute)
		b.Stop()
		mu.Unlock()
		x++
	})
}

func TestRaceTimerFuncs(t *testing.T) {
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		time.AfterFunc(time.Hour, func() {})
		mu.Unlock()
	}, func() {
		mu.Lock()
		time.AfterFunc(time.Hour, func() {})
		mu.Unlock()
		x++
	})
}

// One cache of weak pointers: who finds the value there comes after who made it.
func TestNoRaceWeakMade(t *testing.T) {
	var mu sync.Mutex
	var w weak.Pointer[[64]int]
	x := 0
	p := new([64]int)
	inTurn(func() {
		x = 1
		mu.Lock()
		w = weak.Make(p)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := w.Value() != nil
		mu.Unlock()
		if ok {
			x++
		}
	})
	p[0]++
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestRaceWeakAsked(t *testing.T) {
	var mu sync.Mutex
	x := 0
	p := new([64]int)
	w := weak.Make(p)
	inTurn(func() {
		x = 1
		mu.Lock()
		_ = w.Value()
		mu.Unlock()
	}, func() {
		mu.Lock()
		_ = weak.Make(p) == w
		mu.Unlock()
		x++
	})
	p[0]++
}

func TestNoRaceUniqueStored(t *testing.T) {
	var mu sync.Mutex
	var h unique.Handle[string]
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		h = unique.Make("a")
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := h == unique.Make("a")
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestRaceUniqueMade(t *testing.T) {
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		_ = unique.Make("a").Value()
		mu.Unlock()
	}, func() {
		mu.Lock()
		_ = unique.Make("a")
		mu.Unlock()
		x++
	})
}
