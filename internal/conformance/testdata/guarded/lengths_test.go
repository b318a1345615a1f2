// Type parameters for arrays of several lengths, and for types that have nothing in common but that they are indexed.

package guarded

import "testing"

type (
	lengths  interface{ [2]int | [3]int }
	pointers interface{ *[2]int | *[3]int }
	indexed  interface{ []int | [2]int | *[2]int }
)

func setElement[T lengths](a *T, i int)      { (*a)[i] = 1 }
func element[T lengths](a *T, i int) int     { return (*a)[i] }
func addressOf[T lengths](a *T, i int) *int  { return &(*a)[i] }
func setBehind[T pointers](p T, i int)       { p[i]++ }
func behind[T pointers](p T, i int) int      { return p[i] }
func setIndexed[T indexed](x T, i int)       { x[i], x[0] = 1, x[i] }
func lengthOf[T indexed](x *T) int           { return len(*x) }
func isIndexed[T indexed](x T, i int) int    { return x[i] }
func firstElements[T lengths](s []int) (a T) { return T(s) }

type (
	number  [2]int
	point   struct{ x, y number }
	points  interface{ [2]point | [3]point }
	numbers interface{ [2]number | [3]number }
)

func (n *number) sub(a, b *number) *number { n[0] = a[0] - b[0]; return n }

// Addresses of elements are the operands of a call.
func differences[P points, N numbers](a, b *P) (all N) {
	for i := range len(all) {
		all[i].sub(&(*a)[i].x, &(*b)[i].x).sub(&all[i], &(*b)[i].y)
	}
	return all
}

func TestNoRaceDifferences(t *testing.T) {
	var a, b [2]point
	inTurn(func() { differences[[2]point, [2]number](&a, &b) }, func() { differences[[2]point, [2]number](&a, &b) })
}

func TestRaceDifferences(t *testing.T) {
	var a, b [3]point
	inTurn(func() { differences[[3]point, [3]number](&a, &b) }, func() { a[2].x[0] = 1 })
}

func TestNoRaceElementNoticed(t *testing.T) {
	var a [3]int
	noticed(t, func() { setElement(&a, 1) }, func() bool { return element(&a, 1) == 1 })
}

// The element that is looked at is another one.
func TestRaceElementNoticed(t *testing.T) {
	var a [3]int
	noticed(t, func() { setElement(&a, 1) }, func() bool { return element(&a, 2) == 0 })
}

func TestNoRaceBehindNoticed(t *testing.T) {
	var a [2]int
	noticed(t, func() { setBehind(&a, 1) }, func() bool { return behind(&a, 1) == 1 })
}

func TestRaceBehindNoticed(t *testing.T) {
	var a [2]int
	var b box
	inTurn(func() {
		b.x = 1
		b.mu.Lock()
		setBehind(&a, 1)
		b.mu.Unlock()
	}, func() {
		b.mu.Lock()
		zero := behind(&a, 0) == 0
		b.mu.Unlock()
		if zero {
			b.x = 2
		}
	})
}

func TestNoRaceIndexedNoticed(t *testing.T) {
	s := make([]int, 2)
	noticed(t, func() { setIndexed(s, 1) }, func() bool { return isIndexed(s, 1) == 1 })
}

// What is indexed is looked at behind the section.
func TestRaceIndexedNoticed(t *testing.T) {
	var b box
	var a [2]int
	inTurn(func() {
		b.x = 1
		b.pass()
		setIndexed(&a, 1)
	}, func() {
		b.pass()
		b.x = 2
	})
}

func TestNoRaceElementsOf(t *testing.T) {
	var a [3]int
	inTurn(func() { a[0] = 1 }, func() { setElement(&a, 1) }, func() { *addressOf(&a, 2) = element(&a, 2) })
}

func TestRaceElementsOf(t *testing.T) {
	var a [3]int
	inTurn(func() { a[0] = 1 }, func() { *addressOf(&a, 0) = 2 })
}

func TestNoRaceLengthOf(t *testing.T) {
	var a [2]int
	inTurn(func() { a[0] = 1 }, func() { lengthOf(&a) })
}

func TestNoRaceFirstElements(t *testing.T) {
	s := make([]int, 3)
	inTurn(func() { s[2] = 1 }, func() { firstElements[[2]int](s) })
}

func TestRaceFirstElements(t *testing.T) {
	s := make([]int, 3)
	inTurn(func() { s[2] = 1 }, func() { firstElements[[3]int](s) })
}
