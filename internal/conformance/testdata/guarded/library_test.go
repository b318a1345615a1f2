// What one side does to the shared state is done by the standard library.

package guarded

import (
	"bufio"
	"bytes"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

func TestNoRaceAppendInt(t *testing.T) {
	b := make([]byte, 4)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		strconv.AppendInt(b[:0], 7, 10)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == '7'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceAppendQuote(t *testing.T) {
	b := make([]byte, 8)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		_ = strconv.AppendQuote(b[:0], "a")
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[1] == 'a'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceEncodeRune(t *testing.T) {
	b := make([]byte, 4)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		utf8.EncodeRune(b, 'z')
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == 'z'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceErrorsAs(t *testing.T) {
	var pe *fs.PathError
	var e error = &fs.PathError{Op: "o"}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		errors.As(e, &pe)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := pe != nil
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTimeUnmarshal(t *testing.T) {
	var tm time.Time
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		_ = tm.UnmarshalText([]byte("2020-01-02T03:04:05Z"))
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := !tm.IsZero()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceTimeUnmarshalField(t *testing.T) {
	var s struct{ tm time.Time }
	z := time.Time{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		_ = s.tm.UnmarshalText([]byte("2020-01-02T03:04:05Z"))
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s.tm != z
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceReaderRead(t *testing.T) {
	b := make([]byte, 4)
	rd := bytes.NewReader([]byte("abcd"))
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		rd.Read(b)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == 'a'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceStringsReader(t *testing.T) {
	b := make([]byte, 4)
	rd := strings.NewReader("abcd")
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		rd.Read(b)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == 'a'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBufioReader(t *testing.T) {
	b := make([]byte, 4)
	rd := bufio.NewReader(strings.NewReader("abcd"))
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		rd.Read(b)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == 'a'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBufioReadByte(t *testing.T) {
	rd := bufio.NewReader(strings.NewReader("abcd"))
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		rd.ReadByte()
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := func() bool { c, _ := rd.ReadByte(); return c == 'b' }()
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceIoReader(t *testing.T) {
	b := make([]byte, 4)
	var rd io.Reader = strings.NewReader("abcd")
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		rd.Read(b)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == 'a'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceIoCopy(t *testing.T) {
	var buf bytes.Buffer
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		io.Copy(&buf, strings.NewReader("abcd"))
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := buf.Len() == 4
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSortSlice(t *testing.T) {
	s := []int{2, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[0] == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSortSort(t *testing.T) {
	s := sort.IntSlice{2, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		sort.Sort(s)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[0] == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSliceReverse(t *testing.T) {
	s := []int{2, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		slices.Reverse(s)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[0] == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSliceSortFunc(t *testing.T) {
	s := []int{2, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		slices.SortFunc(s, func(a, b int) int { return a - b })
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[0] == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

// What is in order already is not written, nor is a single element looked at, whatever sorts or reverses it.
func TestNoRaceSliceInOrder(t *testing.T) {
	s, one, three := []int{1, 2, 3}, []int{1}, []int{1, 2, 1}
	inTurn(func() {
		slices.Sort(s)
		slices.SortFunc(s, func(a, b int) int { return a - b })
		slices.SortStableFunc(one, func(a, b int) int { return a - b })
		slices.Reverse(one)
		slices.Reverse(three)
	}, func() {
		if s[0] != 1 || s[2] != 3 || three[1] != 2 {
			t.Error("not in order")
		}
		one[0]++
	})
}

func TestNoRaceSliceInsert(t *testing.T) {
	s := make([]int, 2, 8)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s = slices.Insert(s, 0, 7)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[0] == 7
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSliceDelete(t *testing.T) {
	s := []int{2, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s = slices.Delete(s, 0, 1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := len(s) == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSliceContains(t *testing.T) {
	s := []int{2, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 9
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := slices.Contains(s, 9)
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSliceMax(t *testing.T) {
	s := []int{2, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 9
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := slices.Max(s) == 9
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSliceEqual(t *testing.T) {
	s := []int{2, 1}
	u := []int{9, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 9
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := slices.Equal(s, u)
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBytesEqual(t *testing.T) {
	s := []byte{2, 1}
	u := []byte{9, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 9
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := bytes.Equal(s, u)
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBytesContains(t *testing.T) {
	s := []byte{2, 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 9
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := bytes.Contains(s, []byte{9})
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapsKeys(t *testing.T) {
	m := map[int]int{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m[1] = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := len(slices.Collect(maps.Keys(m))) == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapsEqual(t *testing.T) {
	m := map[int]int{}
	u := map[int]int{1: 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		m[1] = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := maps.Equal(m, u)
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapsDelete(t *testing.T) {
	m := map[int]int{1: 1}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		maps.DeleteFunc(m, func(k, v int) bool { return true })
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

func TestNoRaceHex(t *testing.T) {
	b := make([]byte, 4)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		hex.Encode(b, []byte{0x12, 0x34})
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == '1'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceHexDecode(t *testing.T) {
	b := make([]byte, 4)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		b[0] = '1'
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := hex.EncodeToString(b)[:2] == "31"
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBase64(t *testing.T) {
	b := make([]byte, 8)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		base64.StdEncoding.Encode(b, []byte{0, 0, 0})
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == 'A'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSha(t *testing.T) {
	b := make([]byte, 8)
	z := sha256.Sum256(make([]byte, 8))
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		b[0] = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := sha256.Sum256(b) != z
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBigAdd(t *testing.T) {
	z := big.NewInt(0)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		z.Add(z, big.NewInt(5))
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := z.Int64() == 5
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBigWord(t *testing.T) {
	w := make([]big.Word, 2)
	z := new(big.Int).SetBits(w[:1])
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		z.SetInt64(5)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := w[0] == 5
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceHeap(t *testing.T) {
	h := &hp{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		heap.Push(h, 5)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := len(*h) == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceLog(t *testing.T) {
	var buf bytes.Buffer
	l := log.New(&buf, "", 0)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		l.Print("x")
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := buf.Len() == 2
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceRegexp(t *testing.T) {
	s := []byte("abc")
	re := regexp.MustCompile("x")
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = 'x'
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := re.Match(s)
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceStrJoin(t *testing.T) {
	s := []string{"a", "b"}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[0] = "x"
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := strings.Join(s, "") == "xb"
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceCtxValue(t *testing.T) {
	c := &cv{}
	var ctx context.Context = c
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		c.n = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := ctx.Value(1) == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceReplacer(t *testing.T) {
	s := []string{"a", "b"}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		s[1] = "x"
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := strings.NewReplacer(s...).Replace("a") == "x"
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceFieldsFunc(t *testing.T) {
	n := 0
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		strings.FieldsFunc("a b", func(r rune) bool { n = 1; return false })
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := n == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceErrIs(t *testing.T) {
	e := &er{}
	var err error = e
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		e.n = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := errors.Is(err, io.EOF)
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceErrString(t *testing.T) {
	e := &er{}
	var err error = e
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		e.n = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := err.Error() == "1"
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceJSON(t *testing.T) {
	var st struct{ Ready bool }
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		_ = json.Unmarshal([]byte(`{"Ready":true}`), &st)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := st.Ready
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceReflectSet(t *testing.T) {
	ready := 0
	v := reflect.ValueOf(&ready).Elem()
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		v.SetInt(1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := ready == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceReflectGet(t *testing.T) {
	ready := 0
	v := reflect.ValueOf(&ready).Elem()
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		ready = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := v.Int() == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSprint(t *testing.T) {
	ready := struct{ n int }{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		ready.n = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := fmt.Sprint(&ready) == "&{1}"
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSscan(t *testing.T) {
	n := 0
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		_, _ = fmt.Sscan("5", &n)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := n == 5
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceSortInts(t *testing.T) {
	s := []int{3, 1, 2}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		sort.Ints(s)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := s[0] == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapsCopy(t *testing.T) {
	m := map[string]int{}
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		maps.Copy(m, map[string]int{"a": 1})
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := m["a"] == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceReadFull(t *testing.T) {
	b := make([]byte, 4)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		_, _ = io.ReadFull(strings.NewReader("abcd"), b)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[3] == 'd'
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRacePutUint64(t *testing.T) {
	b := make([]byte, 8)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		binary.LittleEndian.PutUint64(b, 77)
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b[0] == 77
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceUint64(t *testing.T) {
	b := make([]byte, 8)
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		b[0] = 77
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := binary.LittleEndian.Uint64(b) == 77
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceBufferLen(t *testing.T) {
	var b bytes.Buffer
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		b.WriteByte('x')
		mu.Unlock()
	}, func() {
		mu.Lock()
		ok := b.Len() == 1
		mu.Unlock()
		if ok {
			x++
		}
	})
	if x != 2 {
		t.Error("the second section did not see the first")
	}
}

func TestNoRaceMapCallback(t *testing.T) {
	ready := false
	var mu sync.Mutex
	x := 0
	inTurn(func() {
		x = 1
		mu.Lock()
		strings.Map(func(r rune) rune { ready = true; return r }, "a")
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

type hp []int

func (h hp) Len() int           { return len(h) }
func (h hp) Less(i, j int) bool { return h[i] < h[j] }
func (h hp) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *hp) Push(x any)        { *h = append(*h, x.(int)) }
func (h *hp) Pop() any          { o := *h; v := o[len(o)-1]; *h = o[:len(o)-1]; return v }

type cv struct {
	context.Context
	n int
}

func (c *cv) Value(k any) any { return c.n }

type er struct{ n int }

func (e *er) Error() string { return strconv.Itoa(e.n) }
func (e *er) Is(error) bool { return e.n == 1 }
