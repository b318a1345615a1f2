// Package values races on values of more than one word, and on parts of one word.
package values

import (
	"testing"

	"github.com/racepred/racepred/examples/internal/sched"
)

// A slice variable is three words.
func TestRaceSliceVariable(t *testing.T) {
	s := []int{1}
	sched.InTurn(
		func() { s = []int{1, 2} },
		func() { _ = len(s) },
	)
}

// Two goroutines write one element.
func TestRaceElement(t *testing.T) {
	s := make([]int, 4)
	sched.InTurn(
		func() { s[2] = 1 },
		func() { s[2]++ },
	)
}

// Different elements are different variables.
func TestNoRaceElements(t *testing.T) {
	s := make([]int, 4)
	sched.InTurn(
		func() { s[0], s[1] = 1, 2 },
		func() { s[2], s[3] = 3, 4 },
	)
}

// Two appends to one slice with room write the same element behind it.
func TestRaceAppendSharedArray(t *testing.T) {
	base := make([]int, 0, 8)
	sched.InTurn(
		func() {
			s := append(base, 1)
			_ = s
		},
		func() {
			s := append(base, 2)
			_ = s
		},
	)
}

// Without room each append makes an array of its own.
func TestNoRaceAppendFull(t *testing.T) {
	base := make([]int, 2)
	sched.InTurn(
		func() { _ = append(base, 1) },
		func() { _ = append(base, 2) },
	)
}

// copy reads one slice and writes the other.
func TestRaceCopy(t *testing.T) {
	from := []byte("0123456789abcdef")
	to := make([]byte, len(from))
	sched.InTurn(
		func() { copy(to, from) },
		func() { from[9] = 'x' },
	)
}

// A string is two words.
func TestRaceString(t *testing.T) {
	name := "a"
	sched.InTurn(
		func() { name = "another" },
		func() { _ = name + "!" },
	)
}

// An interface value is two words.
func TestRaceInterface(t *testing.T) {
	var v any = 1
	sched.InTurn(
		func() { v = "one" },
		func() {
			if _, ok := v.(string); ok {
				t.Log("a string")
			}
		},
	)
}

type point struct{ x, y, z int }

// Copying a struct reads all of its fields.
func TestRaceStructCopy(t *testing.T) {
	p := &point{1, 2, 3}
	sched.InTurn(
		func() { p.z = 4 },
		func() {
			q := *p
			_ = q.x
		},
	)
}

// Assigning a struct writes all of its fields.
func TestRaceStructAssign(t *testing.T) {
	p := &point{1, 2, 3}
	sched.InTurn(
		func() { _ = p.y },
		func() { *p = point{} },
	)
}

// Different fields are different variables.
func TestNoRaceFields(t *testing.T) {
	p := new(point)
	sched.InTurn(
		func() { p.x = 1 },
		func() { p.y = 2 },
		func() { _ = p.z },
	)
}

// Also when they share a word of memory.
func TestNoRaceNeighbourBytes(t *testing.T) {
	flags := new(struct{ a, b, c, d bool })
	sched.InTurn(
		func() { flags.a = true },
		func() { flags.b = true },
		func() { _ = flags.c },
	)
}

// A range over an array by value reads the whole array.
func TestRaceRangeArray(t *testing.T) {
	a := new([4]int)
	sched.InTurn(
		func() { a[3] = 1 },
		func() {
			sum := 0
			for _, v := range *a {
				sum += v
			}
			_ = sum
		},
	)
}

// A method with a value receiver reads the whole struct at the call.
func TestRaceValueReceiver(t *testing.T) {
	p := new(point)
	sched.InTurn(
		func() { p.x++ },
		func() { _ = p.sum() },
	)
}

func (p point) sum() int { return p.x + p.y + p.z }

// A function variable is replaced while it is called.
func TestRaceFunction(t *testing.T) {
	f := func() int { return 1 }
	sched.InTurn(
		func() { f = func() int { return 2 } },
		func() { _ = f() },
	)
}

// A nested pointer: reading through p.next reads p.next as well.
func TestRaceLinkedList(t *testing.T) {
	type node struct {
		next  *node
		value int
	}
	head := &node{next: &node{value: 1}}
	sched.InTurn(
		func() { head.next = &node{value: 2} },
		func() { _ = head.next.value },
	)
}
