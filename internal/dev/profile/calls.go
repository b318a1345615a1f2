package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// header is the first line of what go tool preprofile writes.
const header = "GO PREPROFILE V1"

// ours is how the names of the engine's functions begin.
const ours = "internal/racepred/"

// call is a place where one function calls another; line counts from the caller's first.
type call struct {
	caller, callee string
	line           int
}

// calls are weights.
type calls map[call]int64

// read adds those of a profile that count. (P2)
func (c calls) read(text []byte) error {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != header {
		return fmt.Errorf("the profile begins with %q, not with %q", lines[0], header)
	}
	if lines = lines[1:]; len(lines)%3 != 0 {
		return fmt.Errorf("the profile has %d lines, not three for each call", len(lines))
	}
	for l := range slices.Chunk(lines, 3) {
		at, weight := call{caller: l[0], callee: l[1]}, int64(0)
		if _, err := fmt.Sscan(l[2], &at.line, &weight); err != nil {
			return fmt.Errorf("%q in the profile: %w", l[2], err)
		}
		if strings.HasPrefix(at.caller, ours) && strings.HasPrefix(at.callee, ours) {
			c[at] += weight
		}
	}
	return nil
}

// add adds others, whose weights become parts of sum. (P1)
func (c calls) add(other calls, sum int64) {
	total := int64(0)
	for _, w := range other {
		total += w
	}
	for at, w := range other {
		c[at] += w * sum / total
	}
}

// common are those that are not rare. (P3)
func (c calls) common() calls {
	total, rest := int64(0), int64(0)
	for _, w := range c {
		total += w
	}
	out := maps.Clone(c)
	for _, at := range slices.Backward(c.sorted()) {
		if rest += c[at]; rest > total/200 {
			break
		}
		delete(out, at)
	}
	return out
}

// sorted are the places, the heaviest first, as the compiler wants them.
func (c calls) sorted() []call {
	return slices.SortedFunc(maps.Keys(c), func(a, b call) int {
		return cmp.Or(cmp.Compare(c[b], c[a]), cmp.Compare(a.caller, b.caller), cmp.Compare(a.callee, b.callee), cmp.Compare(a.line, b.line))
	})
}

// text is the profile.
func (c calls) text() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, header)
	for _, at := range c.sorted() {
		fmt.Fprintf(&b, "%s\n%s\n%d %d\n", at.caller, at.callee, at.line, c[at])
	}
	return b.Bytes()
}
