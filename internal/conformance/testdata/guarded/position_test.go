// Calls of code that nobody records, wherever a call can stand.

package guarded

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"math/big"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

type encI interface{ Encode(dst, src []byte) }

var enc = base64.StdEncoding
var src7 = []byte{0x77}
var stdFunc = strconv.AppendInt
var ops = struct {
	f func([]byte, int64, int) []byte
}{strconv.AppendInt}
var opm = map[string]func([]byte, int64, int) []byte{"x": strconv.AppendInt}
var atomicValue atomic.Value

type writer struct{}

var w writer

func (writer) put(b []byte)   { strconv.AppendInt(b[:0], 7, 10) }
func (*writer) pput(b []byte) { strconv.AppendInt(b[:0], 7, 10) }

type putter interface{ put([]byte) }

func putg[T putter](t T, b []byte)                              { t.put(b) }
func copyStd(b []byte)                                          { hex.Encode(b, src7) }
func defer2(b []byte)                                           { defer hex.Encode(b, src7); defer func() {}() }
func encodeWith[T encI](e T, b []byte)                          { e.Encode(b, []byte("777")) }
func callWith[F func([]byte, int64, int) []byte](f F, b []byte) { f(b[:0], 7, 10) }
func seqB(b []byte) iter.Seq[int] {
	return func(yield func(int) bool) { strconv.AppendInt(b[:0], 7, 10); yield(1) }
}
func pick(c chan int, _ []byte) chan int { return c }
func ret(b []byte) []byte                { return strconv.AppendInt(b[:0], 7, 10) }
func named(b []byte) (r []byte)          { r = strconv.AppendInt(b[:0], 7, 10); return }
func take([]byte)                        {}
func stdOnce(o *sync.Once, b []byte)     { o.Do(func() { strconv.AppendInt(b[:0], 7, 10) }) }

type strer []byte

func (s strer) String() string { strconv.AppendInt([]byte(s)[:0], 7, 10); return "" }

type byteVal []byte

func (v *byteVal) Scan(s fmt.ScanState, _ rune) error {
	r, _, _ := s.ReadRune()
	(*v)[0] = byte(r)
	return nil
}
func inl(b []byte) { stdFunc(b[:0], 7, 10) }
func rec(b []byte, n int) {
	if n == 0 {
		strconv.AppendInt(b[:0], 7, 10)
		return
	}
	rec(b, n-1)
}
func mk(b []byte) func() { return func() { strconv.AppendInt(b[:0], 7, 10) } }

// positions are calls that write to b.
var positions = []struct {
	name string
	call func(b []byte)
}{
	{"stmt", func(b []byte) { strconv.AppendInt(b[:0], 7, 10) }},
	{"defer lit", func(b []byte) { func() { defer func() { strconv.AppendInt(b[:0], 7, 10) }() }() }},
	{"defer method", func(b []byte) { func() { defer w.put(b) }() }},
	{"defer std", func(b []byte) { func() { defer copyStd(b) }() }},
	{"defer direct std", func(b []byte) { func() { defer hex.Encode(b, src7) }() }},
	{"defer unlock order", func(b []byte) { defer2(b) }},
	{"func var", func(b []byte) { f := strconv.AppendInt; f(b[:0], 7, 10) }},
	{"func var global", func(b []byte) { stdFunc(b[:0], 7, 10) }},
	{"func field", func(b []byte) { ops.f(b[:0], 7, 10) }},
	{"func map", func(b []byte) { opm["x"](b[:0], 7, 10) }},
	{"method value", func(b []byte) { f := enc.Encode; f(b, []byte("777")) }},
	{"method expr", func(b []byte) { f := (*base64.Encoding).Encode; f(enc, b, []byte("777")) }},
	{"iface", func(b []byte) { var i encI = enc; i.Encode(b, []byte("777")) }},
	{"iface embedded", func(b []byte) { s := struct{ encI }{enc}; s.Encode(b, []byte("777")) }},
	{"embedded ptr", func(b []byte) { s := struct{ *base64.Encoding }{enc}; s.Encode(b, []byte("777")) }},
	{"generic", func(b []byte) { encodeWith(enc, b) }},
	{"generic fn", func(b []byte) { callWith(strconv.AppendInt, b) }},
	{"if init", func(b []byte) {
		if v := strconv.AppendInt(b[:0], 7, 10); len(v) == 1 {
			_ = v
		}
	}},
	{"if cond", func(b []byte) {
		if len(strconv.AppendInt(b[:0], 7, 10)) == 9 {
			_ = b
		}
	}},
	{"switch", func(b []byte) {
		switch len(strconv.AppendInt(b[:0], 7, 10)) {
		case 3:
		}
	}},
	{"switch init", func(b []byte) {
		switch v := strconv.AppendInt(b[:0], 7, 10); len(v) {
		case 3:
		}
	}},
	{"case", func(b []byte) {
		switch {
		case len(strconv.AppendInt(b[:0], 7, 10)) == 2:
		case true:
		}
	}},
	{"case fall", func(b []byte) {
		switch len(b) {
		case 4:
			fallthrough
		case len(strconv.AppendInt(b[:0], 7, 10)):
		default:
			strconv.AppendInt(b[:0], 7, 10)
		}
		strconv.AppendInt(b[:0], 7, 10)
	}},
	{"type switch", func(b []byte) {
		switch any(strconv.AppendInt(b[:0], 7, 10)).(type) {
		case int:
		}
	}},
	{"for init", func(b []byte) {
		for v := strconv.AppendInt(b[:0], 7, 10); len(v) == 9; {
		}
	}},
	{"for cond", func(b []byte) {
		for len(strconv.AppendInt(b[:0], 7, 10)) == 9 {
		}
	}},
	{"for post", func(b []byte) {
		for i := 0; i < 1; i += len(strconv.AppendInt(b[:0], 7, 10)) {
		}
	}},
	{"range", func(b []byte) {
		for range strconv.AppendInt(b[:0], 7, 10) {
		}
	}},
	{"range body", func(b []byte) {
		for range 1 {
			strconv.AppendInt(b[:0], 7, 10)
		}
	}},
	{"range func", func(b []byte) {
		for range seqB(b) {
		}
	}},
	{"range std seq", func(b []byte) {
		for range slices.Values(strconv.AppendInt(b[:0], 7, 10)) {
		}
	}},
	{"range std pull", func(b []byte) { next, stop := iter.Pull(seqB(b)); next(); stop() }},
	{"select send", func(b []byte) {
		c := make(chan []byte, 1)
		select {
		case c <- strconv.AppendInt(b[:0], 7, 10):
		default:
		}
	}},
	{"select recv", func(b []byte) {
		c := make(chan int, 2)
		c <- 1
		select {
		case <-pick(c, strconv.AppendInt(b[:0], 7, 10)):
		default:
		}
	}},
	{"select assign", func(b []byte) {
		c := make(chan int, 2)
		c <- 1
		var a [10]int
		select {
		case a[len(strconv.AppendInt(b[:0], 7, 10))] = <-c:
		default:
		}
	}},
	{"select body", func(b []byte) {
		select {
		default:
			strconv.AppendInt(b[:0], 7, 10)
		}
	}},
	{"send", func(b []byte) { c := make(chan []byte, 2); c <- strconv.AppendInt(b[:0], 7, 10) }},
	{"return", func(b []byte) { _ = func() []byte { return strconv.AppendInt(b[:0], 7, 10) }() }},
	{"return direct", func(b []byte) { ret(b) }},
	{"named", func(b []byte) { named(b) }},
	{"index", func(b []byte) { var a [10]int; a[len(strconv.AppendInt(b[:0], 7, 10))] = 1 }},
	{"index read", func(b []byte) { var a [10]int; _ = a[len(strconv.AppendInt(b[:0], 7, 10))] }},
	{"map key", func(b []byte) { m := map[string]int{}; m[string(strconv.AppendInt(b[:0], 7, 10))]++ }},
	{"map lit", func(b []byte) { _ = map[string]int{string(strconv.AppendInt(b[:0], 7, 10)): 1} }},
	{"struct lit", func(b []byte) { _ = struct{ v []byte }{strconv.AppendInt(b[:0], 7, 10)} }},
	{"ptr lit", func(b []byte) { _ = &struct{ v []byte }{strconv.AppendInt(b[:0], 7, 10)} }},
	{"slice lit", func(b []byte) { _ = []any{strconv.AppendInt(b[:0], 7, 10)} }},
	{"conv", func(b []byte) { _ = string(strconv.AppendInt(b[:0], 7, 10)) }},
	{"assert", func(b []byte) { _, _ = any(strconv.AppendInt(b[:0], 7, 10)).(int) }},
	{"op assign", func(b []byte) { n := 0; n += len(strconv.AppendInt(b[:0], 7, 10)) }},
	{"par assign", func(b []byte) { var p, q []byte; p, q = strconv.AppendInt(b[:0], 7, 10), b; _, _ = p, q }},
	{"var decl", func(b []byte) { var v = strconv.AppendInt(b[:0], 7, 10); _ = v }},
	{"go arg", func(b []byte) { go take(strconv.AppendInt(b[:0], 7, 10)) }},
	{"defer arg", func(b []byte) { func() { defer take(strconv.AppendInt(b[:0], 7, 10)) }() }},
	{"append", func(b []byte) { _ = append([]byte{}, strconv.AppendInt(b[:0], 7, 10)...) }},
	{"copy", func(b []byte) { copy(make([]byte, 2), strconv.AppendInt(b[:0], 7, 10)) }},
	{"len", func(b []byte) { _ = len(strconv.AppendInt(b[:0], 7, 10)) }},
	{"min", func(b []byte) { _ = min(3, len(strconv.AppendInt(b[:0], 7, 10))) }},
	{"clear", func(b []byte) { clear(map[string]int{string(strconv.AppendInt(b[:0], 7, 10)): 1}) }},
	{"panic", func(b []byte) { func() { defer func() { recover() }(); panic(strconv.AppendInt(b[:0], 7, 10)) }() }},
	{"panic after", func(b []byte) { func() { defer func() { recover(); strconv.AppendInt(b[:0], 7, 10) }(); panic(1) }() }},
	{"label", func(b []byte) {
	L:
		for {
			strconv.AppendInt(b[:0], 7, 10)
			break L
		}
	}},
	{"goto", func(b []byte) {
		i := 0
	L:
		if i == 0 {
			i++
			strconv.AppendInt(b[:0], 7, 10)
			goto L
		}
	}},
	{"block", func(b []byte) {
		{
			strconv.AppendInt(b[:0], 7, 10)
		}
	}},
	{"paren", func(b []byte) { (strconv.AppendInt)(b[:0], 7, 10) }},
	{"star", func(b []byte) { p := &stdFunc; (*p)(b[:0], 7, 10) }},
	{"callback", func(b []byte) {
		slices.SortFunc([]int{2, 1}, func(x, y int) int { strconv.AppendInt(b[:0], 7, 10); return x - y })
	}},
	{"callback lib", func(b []byte) {
		sort.Slice([]int{2, 1}, func(i, j int) bool { strconv.AppendInt(b[:0], 7, 10); return false })
	}},
	{"once do", func(b []byte) { var o sync.Once; o.Do(func() { strconv.AppendInt(b[:0], 7, 10) }) }},
	{"once std", func(b []byte) { var o sync.Once; stdOnce(&o, b) }},
	{"stringer", func(b []byte) { _ = fmt.Sprint(strer(b)) }},
	{"sprintf", func(b []byte) { copy(b, fmt.Sprintf("%d", 7)) }},
	{"fscan", func(b []byte) { fmt.Fscan(strings.NewReader("7"), (*byteVal)(&b)) }},
	{"sscanf", func(b []byte) { var s string; fmt.Sscanf("7", "%s", &s); copy(b, s) }},
	{"reflect call", func(b []byte) {
		reflect.ValueOf(strconv.AppendInt).Call([]reflect.Value{reflect.ValueOf(b[:0]), reflect.ValueOf(int64(7)), reflect.ValueOf(10)})
	}},
	{"reflect set bytes", func(b []byte) { reflect.Copy(reflect.ValueOf(b), reflect.ValueOf([]byte("7"))) }},
	{"atomic fn", func(b []byte) { atomicValue.Store(strconv.AppendInt(b[:0], 7, 10)) }},
	{"testing helper", func(b []byte) { testing.Init(); hex.Encode(b, src7) }},
	{"inlined", func(b []byte) { inl(b) }},
	{"recursive", func(b []byte) { rec(b, 3) }},
	{"closure var", func(b []byte) { f := func() { strconv.AppendInt(b[:0], 7, 10) }; f() }},
	{"closure ret", func(b []byte) { mk(b)() }},
	{"struct method", func(b []byte) { w.put(b) }},
	{"ptr method", func(b []byte) { (&w).pput(b) }},
	{"bound method", func(b []byte) { f := w.put; f(b) }},
	{"iface own", func(b []byte) { var i putter = w; i.put(b) }},
	{"generic own", func(b []byte) { putg(w, b) }},
	{"timer fn", func(b []byte) {
		d := make(chan bool)
		time.AfterFunc(0, func() { strconv.AppendInt(b[:0], 7, 10); close(d) })
		<-d
	}},
	{"wait go", func(b []byte) { var wg sync.WaitGroup; wg.Go(func() { strconv.AppendInt(b[:0], 7, 10) }); wg.Wait() }},
	{"spawn", func(b []byte) { d := make(chan bool); go func() { strconv.AppendInt(b[:0], 7, 10); close(d) }(); <-d }},
	{"unsafe str", func(b []byte) { hex.Encode(b, src7); _ = unsafe.String(&b[0], 1) }},
	{"big set", func(b []byte) { new(big.Int).SetInt64(0x37).FillBytes(b[:1]) }},
	{"copy n", func(b []byte) { io.ReadFull(strings.NewReader("7"), b[:1]) }},
}

func TestNoRaceOpaquePositions(t *testing.T) {
	for _, p := range positions {
		t.Run(p.name, func(t *testing.T) {
			b := make([]byte, 8)
			var mu sync.Mutex
			x := 0
			inTurn(func() {
				x = 1
				mu.Lock()
				p.call(b)
				mu.Unlock()
			}, func() {
				mu.Lock()
				ok := b[0] != 0
				mu.Unlock()
				if ok {
					x++
				}
			})
			if x != 2 {
				t.Error("the second section did not see the first")
			}
		})
	}
}
