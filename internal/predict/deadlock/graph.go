package deadlock

import (
	"cmp"
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// graph has the nodes (K1), each with its latest event.
type graph struct {
	tables  predict.Tables
	locks   locks
	free    predict.FreeList[node]
	nodes   []*node // chains, by the hash of their keys
	ring    []*node // the oldest first, from next on in a ring
	next    int     // the oldest one's place
	rounds  int     // of the ring, since the order was made anew
	holding queues  // by a lock that they hold
	readers queues  // of (K4), by the lock
	writers writers
	recent  [recentWrites]last // of any lock, by its number
	order   order
	most    int    // nodes that there may be
	gone    uint64 // those that made room
}

// key tells nodes apart: one for each position and each set of locks, of each goroutine.
type key struct {
	g     trace.G
	lock  lock
	site  trace.Site
	stack trace.Stack
	held  uint64 // a hash of the sections
}

type node struct {
	key
	at     predict.Event // the latest one
	first  predict.Event
	next   *node // of its chain
	shared bool
	held   []section
	times  uint32
	pairs  uint32 // (K4)
}

// recentWrites is how many acquisitions to write are known of locks that were not read so far.
const recentWrites = 1 << 10

// last is an acquisition of a lock; of is 0 for none.
type last struct {
	predict.Event
	of lock
}

const (
	nodeBytes = 512 // about what a node takes with its places in the maps
	maxNodes  = 1 << 12
	maxHeld   = 1 << 7 // sections of a node: what it costs grows with their square
	maxLength = 8      // of a cycle
	maxSteps  = 1 << 8 // of one search
	maxRounds = 4      // of the ring, before the order is made anew
	chainBits = 12     // of the hash of a key
)

func newGraph(memory int, a predict.Arena) *graph {
	g := &graph{most: maxNodes, locks: newLocks(memory)}
	if memory > 0 {
		g.most = min(g.most, max(memory/2/nodeBytes, 1))
	}
	t := &g.tables
	t.Arena, g.free.Arena = a, a
	g.nodes = predict.MakeSlab[*node](a, 1<<chainBits)
	g.locks.arena(t)
	g.holding.arena(t)
	g.readers.arena(t)
	g.writers.arena(t)
	g.order = newOrder(t)
	return g
}

func (g *graph) bytes() int {
	return 8*len(g.nodes) + nodeBytes*(len(g.ring)+g.writers.by.Len()) + g.locks.bytes()
}

// reads notes that a lock is read, too.
func (g *graph) reads(l lock) {
	if g.writers.by.Get(l) == nil {
		w := g.writers.make(l, g.most)
		if r := g.lately(l); r.of == l {
			w[0] = *r
		}
	}
}

// lately is the latest acquisition to write of the lock or of another one, which has its place.
func (g *graph) lately(l lock) *last { return &g.recent[l%recentWrites] }

// reused ends the lives of the locks in memory that is used anew. (K6)
func (g *graph) reused(a trace.Addr, size uint32) { g.locks.end(a, size, g.writers.delete) }

// renew forgets edges of nodes that made room, and the locks of which nothing else is known, unless
// they are held.
func (g *graph) renew(held []lock) {
	g.order.renew(g.ring)
	slices.Sort(held)
	g.locks.keep(func(l lock) bool {
		_, is := slices.BinarySearch(held, l)
		return is || g.lately(l).of == l || g.order.of.Get(l) != nil || g.writers.by.Get(l) != nil
	})
}

// writes notes an acquisition in write mode of a lock that is read, too, and gives it out with
// those that read it again. (K4)
func (g *graph) writes(l lock, at predict.Event, found func([]predict.Event)) {
	w := g.writers.by.Get(l)
	if w == nil {
		*g.lately(l) = last{at, l}
		return
	}
	i := slices.IndexFunc(w[:], func(l last) bool { return l.of != 0 && l.Ev.G == at.Ev.G })
	if i < 0 {
		i = kept - 1
	}
	copy(w[1:], w[:i])
	w[0] = last{at, l}
	for _, n := range g.readers.of(l) {
		if n.g == at.Ev.G {
			continue
		}
		if n.pairs++; predict.Instance(n.pairs) {
			give([]predict.Event{n.at, at}, found)
		}
	}
}

// node takes in an acquisition in sections, and calls found for the cycles that it closes.
func (g *graph) node(l lock, at predict.Event, shared bool, in []section, found func([]predict.Event)) {
	k := key{g: at.Ev.G, lock: l, site: at.Ev.Site, stack: at.Ev.Stack, held: hash(in)}
	n := *g.chain(&k)
	for n != nil && n.key != k {
		n = n.next
	}
	if n == nil {
		n = g.keep(k, shared, in)
		n.first = at
	}
	n.at = at
	n.enters(in)
	if n.times++; !predict.Instance(n.times) {
		return
	}
	if g.order.cyclic(k.lock, in) {
		s := search{graph: g, path: []*node{n}, steps: maxSteps, found: found}
		s.extend()
	}
	if w := g.writers.by.Get(k.lock); w != nil && n.again() {
		for _, w := range w {
			if w.of != 0 && w.Ev.G != k.g {
				give([]predict.Event{w.Event, at}, found)
			}
		}
	}
}

// again is the condition of (K4).
func (n *node) again() bool {
	return n.shared && slices.ContainsFunc(n.held, func(s section) bool { return s.same(n.lock, true) })
}

// enters notes where the node's sections began this time.
func (n *node) enters(in []section) {
	for i := range min(len(n.held), len(in)) {
		if n.held[i].same(in[i].lock, in[i].shared) {
			n.held[i] = in[i]
		}
	}
}

// locks calls f for each lock that n holds, once.
func (n *node) locks(f func(lock)) {
	for i, s := range n.held {
		if !slices.ContainsFunc(n.held[:i], func(o section) bool { return o.lock == s.lock }) {
			f(s.lock)
		}
	}
}

// keep adds a node, which replaces the oldest if there are g.most. If a program has very many
// locks, most are of short-lived objects, and the oldest node is likely to be of one of these.
func (g *graph) keep(k key, shared bool, in []section) *node {
	var n *node
	if len(g.ring) < g.most {
		n = g.free.Get()
		g.ring = predict.Append(&g.tables, g.ring, n)
	} else {
		n = g.ring[g.next]
		g.lose(n)
		if g.next = (g.next + 1) % g.most; g.next == 0 {
			if g.rounds++; g.rounds == maxRounds {
				g.order.renew(g.ring)
				g.rounds = 0
			}
		}
	}
	chain := g.chain(&k)
	*n = node{key: k, shared: shared, held: n.held[:0], next: *chain}
	for _, s := range in {
		n.held = predict.Append(&g.tables, n.held, s)
	}
	*chain = n
	g.order.add(k.lock, in)
	n.locks(func(l lock) { g.holding.push(l, n) })
	if n.again() {
		g.readers.push(k.lock, n)
	}
	return n
}

// lose removes the oldest node, which is the first one of each of its lists.
func (g *graph) lose(n *node) {
	g.gone++
	at := g.chain(&n.key)
	for *at != n {
		at = &(*at).next
	}
	*at = n.next
	n.locks(g.holding.pop)
	if n.again() {
		g.readers.pop(n.lock)
	}
}

// chain is the chain of the nodes whose keys have that hash.
func (g *graph) chain(k *key) **node {
	h := (uint64(k.lock) ^ uint64(k.site)<<32 ^ k.held ^ uint64(k.stack)<<13) * 0x9E3779B97F4A7C15
	return &g.nodes[(h^uint64(k.g)*0xD6E8FEB86659FD93)>>(64-chainBits)]
}

func hash(in []section) uint64 {
	h := uint64(len(in))
	for _, s := range in {
		h = (h ^ uint64(s.lock)) * 0x9E3779B97F4A7C15
		if s.shared {
			h++
		}
		h ^= h >> 29
	}
	return h
}

// search goes from a node to those that it waits for, until one waits for the first.
type search struct {
	*graph
	path  []*node
	steps int
	found func([]predict.Event)
}

func (s *search) extend() {
	from := s.path[len(s.path)-1]
	for _, n := range slices.Backward(s.holding.of(from.lock)) {
		if s.steps--; s.steps < 0 {
			return
		}
		if !holds(n, from) || !s.fits(n) { // (K2), (K3)
			continue
		}
		s.path = append(s.path, n)
		if holds(s.path[0], n) {
			s.cycle()
		} else if len(s.path) < maxLength {
			s.extend()
		}
		s.path = s.path[:len(s.path)-1]
	}
}

// cycle gives out the path. (K7)
func (s *search) cycle() {
	var latest, first []predict.Event
	repeats := false
	for _, n := range s.path {
		latest, first = append(latest, n.at), append(first, n.first)
		repeats = repeats || n.at.Seq != n.first.Seq
	}
	give(latest, s.found)
	if repeats {
		give(first, s.found)
	}
}

// holds reports whether n's goroutine is in a section that excludes what the other one wants, and
// may be in it before the other one's section. (K5)
func holds(n, wants *node) bool {
	late := trace.FlagHard // the flags of sections that do not begin earlier
	if wants.at.Ev.Flags&trace.FlagHard != 0 {
		late |= trace.FlagUnseen
	}
	for _, h := range n.held {
		if h.excludes(section{lock: wants.lock, shared: wants.shared}) && (wants.at.Seq > h.acq || h.flags&late == 0) {
			return true
		}
	}
	return false
}

// fits reports whether n is of another goroutine than all of the path, and has no gate in common
// with any of them.
func (s *search) fits(n *node) bool {
	for _, o := range s.path {
		if o.g == n.g {
			return false
		}
		for _, a := range o.held {
			for _, b := range n.held {
				if a.excludes(b) {
					return false
				}
			}
		}
	}
	return true
}

// give calls found with the events in the trace's order.
func give(events []predict.Event, found func([]predict.Event)) {
	slices.SortFunc(events, func(a, b predict.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	found(events)
}
