package programs

// Some programs have atomic operations of variables that they also store to plainly: an operation's
// result may be what a plain store left. The variables are of 64 bits. That two atomic operations
// do not race is left out here: nobody predicts that they do.

// mix is one of the kinds in a program with such operations, and otherwise, or if the variable is
// smaller, the first one.
func (g *generator) mix(variable int, kinds ...kind) kind {
	if !g.mixed || variable >= objects {
		return kinds[0]
	}
	return kinds[g.IntN(len(kinds))]
}

// mixed executes them.
func (t *turn) mixed() (out outcome, known bool) {
	x := &t.x[t.o]
	switch t.in.kind {
	case addTo, ifAdd:
		if *x++; *x > 100 {
			return fatal, true
		}
		if t.in.kind == ifAdd {
			t.unless(*x == t.v)
		}
	case ifExchange:
		t.unless(*x == 1)
		*x = t.v
	case ifCompare:
		if t.unless(*x == t.v); *x == t.v {
			*x++
		}
	default:
		return out, false
	}
	return out, true
}
