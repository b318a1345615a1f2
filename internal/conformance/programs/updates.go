package programs

import "strconv"

// Updates are x op= y: under a lock, those of one kind may trade places.

// updateOps are the operators, by val/updateOperands; the operand is what is left, plus one.
var updateOps = [...]string{"+=", "-=", "|=", "&=", "^=", "*=", "&^="}

const updateOperands = 3

// update is a random val of one. In most programs it is one of two kinds.
func (g *generator) update() int {
	op := []int{0, 0, 1, 2}[g.IntN(4)]
	if g.IntN(3) == 0 {
		op = g.IntN(len(updateOps))
	}
	return op*updateOperands + g.IntN(updateOperands)
}

// updateOf is what comes after x.
func updateOf(s *statement) string {
	if s.kind != update {
		return ""
	}
	return updateOps[s.val/updateOperands] + " " + strconv.Itoa(1+s.val%updateOperands)
}

// updated is x after an update.
func updated(x, val int) int {
	y := 1 + val%updateOperands
	switch updateOps[val/updateOperands] {
	case "+=":
		return x + y
	case "-=":
		return x - y
	case "|=":
		return x | y
	case "&=":
		return x & y
	case "^=":
		return x ^ y
	case "*=":
		return x * y
	}
	return x &^ y
}
