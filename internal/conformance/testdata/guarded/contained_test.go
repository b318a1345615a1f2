// Calls of the library in sections, all of whose code is recorded. What they have in common the traps observe; the twins have nothing in common.

package guarded

import (
	"bytes"
	"encoding/binary"
	"expvar"
	"hash"
	"hash/fnv"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"testing"
)

func TestNoRaceContainedHeader(t *testing.T) {
	h := http.Header{}
	noticed(t, func() { h.Set("a", "b") }, func() bool { return h.Get("a") != "" })
}

func TestNoRaceContainedInterface(t *testing.T) {
	var b bytes.Buffer
	var w io.Writer = &b
	var r io.Reader = &b
	noticed(t, func() { w.Write([]byte("a")) }, func() bool { n, _ := r.Read(make([]byte, 1)); return n == 1 })
}

func TestNoRaceContainedHash(t *testing.T) {
	var h hash.Hash32 = fnv.New32()
	empty := h.Sum32()
	noticed(t, func() { h.Write([]byte("a")) }, func() bool { return h.Sum32() != empty })
}

func TestNoRaceContainedReflect(t *testing.T) {
	x := 0
	v := reflect.ValueOf(&x).Elem()
	noticed(t, func() { x = 1 }, func() bool { return v.Int() == 1 })
}

func TestNoRaceContainedReflectElement(t *testing.T) {
	x := []any{nil}
	v := reflect.ValueOf(x)
	noticed(t, func() { x[0] = 1 }, func() bool { return !v.Index(0).IsNil() })
}

func TestNoRaceContainedReflectField(t *testing.T) {
	x := struct{ f any }{}
	v := reflect.ValueOf(&x).Elem()
	noticed(t, func() { x.f = 1 }, func() bool { return !v.Field(0).IsNil() })
}

func TestNoRaceContainedBytes(t *testing.T) {
	b := make([]byte, 2)
	noticed(t, func() { binary.BigEndian.PutUint16(b, 1) }, func() bool { return binary.BigEndian.Uint16(b) == 1 })
}

func TestNoRaceContainedNumber(t *testing.T) {
	n := big.NewInt(0)
	noticed(t, func() { n.SetInt64(1) }, func() bool { return n.Sign() != 0 })
}

func TestNoRaceContainedQuery(t *testing.T) {
	u := &url.URL{}
	noticed(t, func() { u.RawQuery = "a=b" }, func() bool { return u.Query().Get("a") != "" })
}

func TestNoRaceContainedCount(t *testing.T) {
	n := new(expvar.Int)
	noticed(t, func() { n.Add(1) }, func() bool { return n.Value() == 1 })
}

func TestNoRaceContainedMux(t *testing.T) {
	mux := http.NewServeMux()
	request, _ := http.NewRequest("GET", "/a", nil)
	noticed(t, func() { mux.Handle("/a", http.NotFoundHandler()) }, func() bool { _, pattern := mux.Handler(request); return pattern != "" })
}

func TestNoRaceContainedMatch(t *testing.T) {
	text, part := []byte("abcd"), regexp.MustCompile("bc")
	noticed(t, func() { text[1] = 'x' }, func() bool { return !part.Match(text) })
}

func TestNoRaceContainedFind(t *testing.T) {
	text, part := []byte("abcd"), regexp.MustCompile("b(c|d)")
	noticed(t, func() { text[1] = 'x' }, func() bool { return part.FindSubmatchIndex(text) == nil })
}

func TestRaceContainedMatch(t *testing.T) {
	var b box
	one, other := regexp.MustCompile("ab"), regexp.MustCompile("bc")
	one.Match([]byte("cab"))
	other.Match([]byte("abc"))
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		one.Match([]byte("abcd"))
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		other.Match([]byte("abcd"))
		b.mu.Unlock()
		b.x++
	})
}

func TestNoRaceContainedOrder(t *testing.T) {
	b := make([]byte, 2)
	var order binary.ByteOrder = binary.BigEndian
	noticed(t, func() { order.PutUint16(b, 1) }, func() bool { return order.Uint16(b) == 1 })
}

func TestRaceContainedOrder(t *testing.T) {
	var b box
	var order binary.ByteOrder = binary.BigEndian
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		order.PutUint16(make([]byte, 2), 1)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		order.PutUint32(make([]byte, 4), 1)
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceContainedParse(t *testing.T) {
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		url.Parse("http://a/b?c=d")
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		url.Parse("http://a/b")
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceContainedType(t *testing.T) {
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		_ = reflect.TypeOf(&b).Kind()
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		_ = reflect.TypeOf(t).Kind()
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceContainedInterface(t *testing.T) {
	var b box
	var v, w io.Writer = new(bytes.Buffer), new(bytes.Buffer)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		v.Write([]byte("a"))
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		w.Write([]byte("b"))
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceContainedCompile(t *testing.T) {
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		regexp.MustCompile("a+[^b]")
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		regexp.MustCompile("a+[^c]")
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceContainedHeader(t *testing.T) {
	var b box
	g, h := http.Header{}, http.Header{}
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		g.Set("a", "b")
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		h.Add("a", "c")
		b.mu.Unlock()
		b.x++
	})
}

func TestNoRaceContainedVariable(t *testing.T) {
	t.Setenv("RACEPRED_GUARDED", "")
	noticed(t, func() { os.Setenv("RACEPRED_GUARDED", "a") }, func() bool { return os.Getenv("RACEPRED_GUARDED") != "" })
}

func TestNoRaceContainedFile(t *testing.T) {
	f := tempFile(t, "")
	noticed(t, func() { f.WriteString("a") }, func() bool { info, err := f.Stat(); return err == nil && info.Size() == 1 })
}

func TestNoRaceContainedFileByPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var from io.Reader = r
	var to io.Writer = w
	noticed(t, func() { to.Write([]byte("a")) }, func() bool { n, _ := from.Read(make([]byte, 1)); return n == 1 })
}

func TestNoRaceContainedFileClosed(t *testing.T) {
	f := tempFile(t, "")
	var to io.Writer = f
	noticed(t, func() { f.Close() }, func() bool { _, err := to.Write([]byte("a")); return err != nil })
}

func TestNoRaceContainedFileBytes(t *testing.T) {
	b := []byte("a")
	f := tempFile(t, "")
	noticed(t, func() { f.Write(b); b[0] = 'b' }, func() bool { return b[0] == 'b' })
}

func TestRaceContainedFile(t *testing.T) {
	var b box
	f := open(t, os.DevNull)
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		f.WriteString("a")
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		_, _ = os.Stderr.Write(nil)
		b.mu.Unlock()
		b.x++
	})
}

func TestRaceContainedLog(t *testing.T) {
	var b box
	var out io.Writer = os.Stderr
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		out.Write(nil)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		out.Write([]byte{})
		b.mu.Unlock()
		b.x++
	})
}
