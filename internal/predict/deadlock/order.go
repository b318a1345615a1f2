package deadlock

import (
	"cmp"
	"slices"

	"github.com/racepred/racepred/internal/predict"
)

// order knows which locks a cycle can go through. In the lock graph, with an edge from each lock
// that a node holds to the one that it wants, a cycle of nodes is a closed walk, so its locks are
// in one strongly connected component; most programs have none with an edge. The components' ranks
// are kept in a topological order while edges come (Pearce and Kelly, A Dynamic Topological Sort
// Algorithm for Directed Acyclic Graphs, ACM JEA 2006). Edges of nodes that made room stay until
// the next renewal: this may cost searches that find nothing, but no cycle is missed.
type order struct {
	tables  *predict.Tables
	of      predict.Index[lock, vertex]
	free    predict.FreeList[vertex]
	all     []*vertex // used of them are in of
	used    int
	credit  int    // edges that walks may still look at
	anyhow  bool   // it was given up: every node is searched from
	visited uint32 // the number of the latest walk
}

// vertex is a component of locks.
type vertex struct {
	into    *vertex // the one that it became part of
	rank    int
	out, in []*vertex // may have parts of others, and itself
	visited uint32
}

const (
	creditEach = 1 << 5 // for an acquisition
	maxCredit  = 1 << 14
)

func newOrder(t *predict.Tables) order {
	o := order{tables: t, credit: maxCredit}
	o.of.Arena(t)
	o.free.Arena = t.Arena
	return o
}

// find is the component that v is in.
func (v *vertex) find() *vertex {
	for v.into != nil {
		if v.into.into != nil {
			v.into = v.into.into
		}
		v = v.into
	}
	return v
}

func (o *order) vertex(l lock) *vertex {
	v := o.of.Get(l)
	if v == nil {
		if o.used == len(o.all) {
			o.all = predict.Append(o.tables, o.all, o.free.Get())
		}
		v = o.all[o.used]
		*v = vertex{rank: o.used, out: v.out[:0], in: v.in[:0]}
		o.used++
		o.of.Put(l, v)
	}
	return v.find()
}

// cyclic reports whether a cycle can go through an acquisition of the lock in these sections, whose
// edges are known.
func (o *order) cyclic(l lock, in []section) bool {
	if o.anyhow {
		return true
	}
	to := o.vertex(l)
	for _, s := range in {
		if o.vertex(s.lock) == to {
			return true
		}
	}
	return false
}

// add takes in the edges of an acquisition.
func (o *order) add(l lock, in []section) {
	o.credit = min(o.credit+creditEach, maxCredit)
	for _, s := range in {
		if o.anyhow {
			return
		}
		from, to := o.vertex(s.lock), o.vertex(l)
		if known := len(from.out) > 0 && from.out[len(from.out)-1] == to; from != to && !known { // mostly; an edge that is there twice does no harm
			from.out, to.in = predict.Append(o.tables, from.out, to), predict.Append(o.tables, to.in, from)
			if from.rank > to.rank {
				o.turn(from, to)
			}
		}
	}
}

// turn changes the ranks to fit an edge. Among the components with ranks between those of its two
// ends, it moves those that its end reaches behind those that reach its start. Components that are
// both are on cycles that the edge closes, and become one.
func (o *order) turn(from, to *vertex) {
	after := o.walk(to, func(v *vertex) []*vertex { return v.out }, func(v *vertex) bool { return v.rank <= from.rank })
	before := o.walk(from, func(v *vertex) []*vertex { return v.in }, func(v *vertex) bool { return v.rank >= to.rank })
	if o.credit <= 0 {
		o.anyhow = true
		return
	}
	var cycle []*vertex
	if slices.Contains(after, from) {
		for _, v := range before {
			if slices.Contains(after, v) {
				cycle = append(cycle, v)
			}
		}
		on := func(v *vertex) bool { return slices.Contains(cycle, v) }
		before, after = slices.DeleteFunc(before, on), slices.DeleteFunc(after, on)
	}
	rank(before, cycle, after)
	for _, v := range cycle {
		if one := cycle[0]; v != one {
			v.into = one
			for _, to := range v.out {
				one.out = predict.Append(o.tables, one.out, to)
			}
			for _, from := range v.in {
				one.in = predict.Append(o.tables, one.in, from)
			}
		}
	}
}

// walk returns the components that next reaches from v, among those for which within holds. Without
// credit it ends early.
func (o *order) walk(v *vertex, next func(*vertex) []*vertex, within func(*vertex) bool) (reached []*vertex) {
	o.visited++
	v.visited = o.visited
	reached = append(reached, v)
	for i := 0; i < len(reached) && o.credit > 0; i++ {
		for _, n := range next(reached[i]) {
			o.credit--
			if n = n.find(); n.visited != o.visited && within(n) {
				n.visited = o.visited
				reached = append(reached, n)
			}
		}
	}
	return reached
}

// rank hands the ranks of all groups out anew, in order: to one group after the other, each in the
// order that it has.
func rank(groups ...[]*vertex) {
	var all []*vertex
	var ranks []int
	for _, g := range groups {
		slices.SortFunc(g, func(a, b *vertex) int { return cmp.Compare(a.rank, b.rank) })
		all = append(all, g...)
	}
	for _, v := range all {
		ranks = append(ranks, v.rank)
	}
	slices.Sort(ranks)
	for i, v := range all {
		v.rank = ranks[i]
	}
}

// renew begins again with the edges of these nodes.
func (o *order) renew(nodes []*node) {
	o.of.Clear()
	o.used, o.credit, o.anyhow = 0, maxCredit, false
	for _, n := range nodes {
		o.add(n.lock, n.held)
	}
}
