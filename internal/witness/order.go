package witness

// order is a partial order of the box's units, transitively closed. A unit is an event, or the
// events that
// (B4) keeps together: an event that ends a span and those after it up to the next such event.
//
// Invariant: before[u][g] is how many of goroutine g's units come before unit u; of u's own
// goroutine, u's number.
type order struct {
	gs      [][]int32 // by goroutine of the box, its units
	g, num  []int32   // by unit, its goroutine and its number among that goroutine's units
	before  [][]int32
	out     [][]int32 // by unit, edges besides the goroutines' orders
	work    []int32   // units whose before grew since it was passed on to their successors
	changed bool      // by add
	steps   int       // how many more changes are allowed
}

// unit adds a unit to goroutine g.
func (o *order) unit(g int32) int32 {
	u := int32(len(o.g))
	o.g = append(o.g, g)
	o.num = append(o.num, int32(len(o.gs[g])))
	o.gs[g] = append(o.gs[g], u)
	b := make([]int32, len(o.gs))
	b[g] = o.num[u]
	o.before = append(o.before, b)
	o.out = append(o.out, nil)
	return u
}

// has reports whether unit a comes before unit b.
func (o *order) has(a, b int32) bool { return o.before[b][o.g[a]] > o.num[a] }

// add puts unit a before unit b and closes the order. False means that there is a cycle, or no more
// steps.
func (o *order) add(a, b int32) bool {
	if o.has(a, b) {
		return true
	}
	if a == b || o.has(b, a) {
		return false
	}
	o.out[a] = append(o.out[a], b)
	o.changed = true
	return o.after(a, b) && o.propagate()
}

// after puts a, and all units before a, before b. It does not look at the units after b.
func (o *order) after(a, b int32) bool {
	mine, theirs := o.before[b], o.before[a]
	more := false
	for g, n := range theirs {
		if int32(g) == o.g[a] {
			n++
		}
		if n > mine[g] {
			mine[g] = n
			more = true
		}
	}
	if mine[o.g[b]] > o.num[b] {
		return false // a cycle
	}
	if more {
		if o.steps--; o.steps < 0 {
			return false
		}
		o.work = append(o.work, b)
	}
	return true
}

// propagate closes the order: what comes before a unit of work comes before the units after it,
// too.
func (o *order) propagate() bool {
	for len(o.work) > 0 {
		u := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		if list := o.gs[o.g[u]]; int(o.num[u])+1 < len(list) && !o.after(u, list[o.num[u]+1]) {
			return false
		}
		for _, v := range o.out[u] {
			if !o.after(u, v) {
				return false
			}
		}
	}
	return true
}
