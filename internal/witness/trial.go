package witness

// trial remembers a closed set, so that more can be tried and taken back.
type trial struct {
	touched []int32
	need    []int32 // by touched goroutine; as many were looked at

	reached map[reach]int
	ended   map[ending]int
	chained map[int32]bool
	prefix  map[int32]int32
}

// try remembers the set, which is closed and has no (P9).
func (p *past) try() trial {
	t := trial{
		touched: append([]int32(nil), p.touched...), need: make([]int32, len(p.touched)),
		reached: clone(p.reached), ended: clone(p.ended), chained: clone(p.chained), prefix: clone(p.prefix),
	}
	for k, g := range t.touched {
		t.need[k] = p.need[g]
	}
	return t
}

// clone is maps.Clone, which tests do not have in them anyway.
func clone[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// takeBack makes the set what it was. The trial is over then.
func (p *past) takeBack(t trial) {
	p.end()
	p.why = ""
	p.touched = append(p.touched, t.touched...)
	for k, g := range t.touched {
		p.need[g], p.seen[g] = t.need[k], t.need[k]
	}
	p.reached, p.ended, p.chained, p.prefix = t.reached, t.ended, t.chained, t.prefix
}
