// What is seen is the state of a channel, a timer, an atomic.

package guarded

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestNoRaceTimerReset(t *testing.T) {
	tm := time.NewTimer(time.Hour)
	var mu sync.Mutex
	x := 0
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
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceCtxDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		cancel()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := ctx.Err() != nil
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceCtxCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		cancel(io.EOF)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := context.Cause(ctx) == io.EOF
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceAfterFuncStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() {})
	_ = cancel
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		stop()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := !stop()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSyncMapLen(t *testing.T) {
	var m sync.Map
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m.Store(1, 1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool { n := 0; m.Range(func(k, v any) bool { n++; return true }); return n == 1 }()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSyncMapDelete(t *testing.T) {
	var m sync.Map
	m.Store(1, 1)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m.Delete(1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool { _, ok := m.Load(1); return !ok }()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSyncMapRangeEmpty(t *testing.T) {
	var m sync.Map
	m.Store(1, 1)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m.Clear()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool { n := 0; m.Range(func(k, v any) bool { n++; return true }); return n == 0 }()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceCASFails(t *testing.T) {
	var f atomic.Int32
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		f.CompareAndSwap(0, 1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := !f.CompareAndSwap(0, 2)
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTimerStop(t *testing.T) {
	tm := time.NewTimer(time.Hour)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		tm.Stop()
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

func TestNoRaceCap(t *testing.T) {
	var ch chan int
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		ch = make(chan int, 1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := cap(ch) == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSendFull(t *testing.T) {
	ch := make(chan int, 1)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		ch <- 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool {
			select {
			case ch <- 2:
				return false
			default:
				return true
			}
		}()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceReceive(t *testing.T) {
	ch := make(chan int, 1)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		ch <- 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool {
			select {
			case <-ch:
				return true
			default:
				return false
			}
		}()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceOnce(t *testing.T) {
	var o sync.Once
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		o.Do(func() {})
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool {
			first := false
			o.Do(func() { first = true })
			return !first
		}()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTimerStopOutside(t *testing.T) {
	tm := time.NewTimer(time.Hour)
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
		if !tm.Stop() {
			x++
		}
	})
	if x != 2 {
		t.Error("the second Stop did not see the first")
	}
}

func TestNoRaceTimerResetOutside(t *testing.T) {
	tm := time.AfterFunc(time.Hour, func() {})
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
		if !tm.Reset(time.Hour) {
			x++
		}
	})
	tm.Stop()
	if x != 2 {
		t.Error("Reset did not see the Stop")
	}
}
