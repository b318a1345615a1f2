package tracefile

import (
	"fmt"
	"math"
)

// appendUint appends v, seven bits a byte, the lowest first, the high bit set on all bytes but the
// last.
func appendUint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendInt appends v with its sign in the lowest bit.
func appendInt(b []byte, v int64) []byte { return appendUint(b, uint64(v)<<1^uint64(v>>63)) }

// input reads a block's content. It keeps the first error; numbers read after it are 0.
type input struct {
	b   []byte
	at  int
	err error
}

func (in *input) more() bool { return in.err == nil && in.at < len(in.b) }

func (in *input) byte() byte {
	if in.at >= len(in.b) {
		in.fail(errShort)
		return 0
	}
	in.at++
	return in.b[in.at-1]
}

func (in *input) uint() uint64 {
	var v uint64
	for shift := 0; in.err == nil; shift += 7 {
		x := in.byte()
		if shift == 63 && x > 1 {
			in.fail(errLong)
			break
		}
		v |= uint64(x&0x7f) << shift
		if x < 0x80 {
			return v
		}
	}
	return 0
}

func (in *input) int() int64 {
	v := in.uint()
	return int64(v>>1) ^ -int64(v&1)
}

// uint32 reads a number that must fit; what names it in the error.
func (in *input) uint32(what string) uint32 {
	v := in.uint()
	if v > math.MaxUint32 {
		in.fail(fmt.Errorf("%s is %d, want at most %d", what, v, uint32(math.MaxUint32)))
		return 0
	}
	return uint32(v)
}

// count reads how many things follow that take at least one byte each.
func (in *input) count(what string) int {
	v := in.uint()
	if left := len(in.b) - in.at; in.err == nil && v > uint64(left) {
		in.fail(fmt.Errorf("%d %s in %d bytes", v, what, left))
	}
	if in.err != nil {
		return 0
	}
	return int(v)
}

func (in *input) string() string {
	n := in.count("bytes of a string")
	s := string(in.b[in.at : in.at+n])
	in.at += n
	return s
}

func (in *input) fail(err error) {
	if in.err == nil {
		in.err = err
	}
}
