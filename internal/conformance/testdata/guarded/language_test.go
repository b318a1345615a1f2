// All ways in which the language itself reads and writes.

package guarded

import (
	"io"
	"sync"
	"testing"
	"unsafe"
)

func TestNoRaceInterface(t *testing.T) {
	var w io.Writer = &wr{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		w.Write(nil)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := w.(*wr).n == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceFuncField(t *testing.T) {
	s := struct{ f func() int }{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s.f = func() int { return 1 }
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s.f != nil && s.f() == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceArray(t *testing.T) {
	var a [4]int
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a[2] = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a == [4]int{0, 0, 1, 0}
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceStructEq(t *testing.T) {
	var a, z struct{ p, q int }
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a.q = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a != z
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceIfaceEq(t *testing.T) {
	var a any = 1
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a = 2
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a == any(2)
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceStringIdx(t *testing.T) {
	s := "abc"
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s = "xbc"
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[0] == 'x'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBytesToString(t *testing.T) {
	s := []byte("abc")
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 'x'
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := string(s) == "xbc"
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceStringToBytesMap(t *testing.T) {
	s := []byte("abc")
	m := map[string]bool{"xbc": true}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 'x'
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := m[string(s)]
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSwitchBytes(t *testing.T) {
	s := []byte("abc")
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 'x'
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool {
			switch string(s) {
			case "xbc":
				return true
			}
			return false
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

func TestNoRaceRangeStr(t *testing.T) {
	s := []byte("abc")
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 'x'
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool {
			for _, r := range string(s) {
				return r == 'x'
			}
			return false
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

func TestNoRaceClearSlice(t *testing.T) {
	s := []int{1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		clear(s)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[0] == 0
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceClearMap(t *testing.T) {
	s := map[int]int{1: 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		clear(s)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := len(s) == 0
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMinMax(t *testing.T) {
	a := 1
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a = 9
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := max(a, 5) == 9
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceCopyString(t *testing.T) {
	b := make([]byte, 3)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		copy(b, "xyz")
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[2] == 'z'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceAppendSpread(t *testing.T) {
	a := make([]int, 0, 8)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a = append(a, []int{1, 2}...)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := len(a) == 2
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapOfStruct(t *testing.T) {
	m := map[int]struct{ a, b int }{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m[1] = struct{ a, b int }{1, 2}
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := m[1].b == 2
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapPtr(t *testing.T) {
	m := map[int]*wr{1: {}}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m[1].n++
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := m[1].n == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapOpAssign(t *testing.T) {
	m := map[string]int{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m["a"] += 2
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := m["a"] == 2
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapCommaOk(t *testing.T) {
	m := map[string]int{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m["a"] = 0
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool { _, ok := m["a"]; return ok }()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapRangeDel(t *testing.T) {
	m := map[string]int{"a": 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		for k := range m {
			delete(m, k)
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := len(m) == 0
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTypeSwitch(t *testing.T) {
	var v any
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		v = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool {
			switch v.(type) {
			case int:
				return true
			}
			return false
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

func TestNoRaceSliceExpr(t *testing.T) {
	a := [4]int{}
	s := a[:]
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a[3] = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[2:][1] == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSliceToArray(t *testing.T) {
	s := []int{1, 2}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[1] = 3
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := [2]int(s)[1] == 3
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceArrPtr(t *testing.T) {
	s := []int{1, 2}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		(*[2]int)(s)[1] = 3
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[1] == 3
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceGeneric(t *testing.T) {
	g := &gen[int]{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		g.set(3)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := g.get() == 3
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceGenericStr(t *testing.T) {
	g := &gen[string]{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		g.set("a")
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := g.get() == "a"
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceEmbedded(t *testing.T) {
	e := &emb{wr: &wr{}}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		e.n = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := e.wr.n == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMethodVal(t *testing.T) {
	w := &wr{}
	f := w.inc
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		f()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := w.n == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMethodExpr(t *testing.T) {
	w := &wr{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		(*wr).inc(w)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := w.n == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceDefer(t *testing.T) {
	w := &wr{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		func() { defer w.inc() }()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := w.n == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceComplex(t *testing.T) {
	var c complex128
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		c = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := real(c) == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceShortCircuit(t *testing.T) {
	a, b := true, false
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		b = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a && b
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceIncDec(t *testing.T) {
	a := 0
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a++
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMultiAssign(t *testing.T) {
	a, b := 0, 1
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a, b = b, a
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a == 1 && b == 0
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSelectAssign(t *testing.T) {
	ch := make(chan int, 1)
	a := 0
	ch <- 5
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		select {
		case a = <-ch:
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a == 5
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceRecvAssign(t *testing.T) {
	ch := make(chan int, 1)
	a := make([]int, 1)
	ch <- 5
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		a[0] = <-ch
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a[0] == 5
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceRangeAssign(t *testing.T) {
	a := []int{0}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		for a[0] = range 6 {
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a[0] == 5
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceRangeChanAssign(t *testing.T) {
	ch := make(chan int, 1)
	a := 0
	ch <- 5
	close(ch)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		for a = range ch {
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a == 5
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceLabelGoto(t *testing.T) {
	a := 0
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		i := 0
	L:
		a++
		if i++; i < 3 {
			goto L
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := a == 3
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceNamedResult(t *testing.T) {
	a := new(int)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		func() (r int) { defer func() { *a = r }(); return 4 }()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := *a == 4
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceUnsafe(t *testing.T) {
	var st struct{ a, b int32 }
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		*(*int64)(unsafe.Pointer(&st)) = 1 | 1<<32
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := st.b == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

type wr struct{ n int }

func (w *wr) Write(p []byte) (int, error) { w.n++; return 0, nil }
func (w *wr) inc()                        { w.n++ }

type emb struct{ *wr }
type gen[T any] struct{ v T }

func (g *gen[T]) set(v T) { g.v = v }
func (g *gen[T]) get() T  { return g.v }
