// Package programs makes random concurrent programs that are small enough to try every schedule of, and knows which of their
// accesses can race.
//
// What the oracle (internal/oracle) does for traces this does for programs: a trace that says too little has schedules that the program
// has not. Every race that racepred predicts must be one that some schedule of the program has.
package programs

import "math/rand/v2"

// kind is what a statement does.
type kind uint8

const (
	write      kind = iota // x = val
	read                   // use(x)
	increment              // x++
	ifEqual                // if x == val {body} else {other}
	lock                   // mu.Lock()
	unlock                 // mu.Unlock()
	rlock                  // rw.RLock()
	runlock                // rw.RUnlock()
	wlock                  // rw.Lock()
	wunlock                // rw.Unlock()
	tryLock                // if mu.TryLock() {body} else {other}
	tryRLock               // if rw.TryRLock() {body} else {other}
	add                    // c.Add(1)
	orBits                 // c.Or(val)
	andBits                // c.And(val)
	store                  // c.Store(val)
	ifLoad                 // if c.Load() == val {body} else {other}
	ifOld                  // if c.Swap(val) == 0 {body} else {other}
	ifSwap                 // if c.CompareAndSwap(0, val) {body} else {other}
	put                    // token <- struct{}{}
	take                   // <-token
	tryPut                 // select { case token <- struct{}{}: body; default: other }
	tryTake                // select { case <-token: body; default: other }
	ifLen                  // if len(token) == val {body} else {other}
	send                   // ch <- val
	ifReceive              // if <-ch == val {body} else {other}
	once                   // once.Do(func() {body})
	shut                   // close(gate)
	await                  // <-gate
	ifShut                 // select { case <-gate: body; default: other }
	opaque                 // strconv.AppendInt(b[:0], val, 10): code that nobody records writes b
	ifByte                 // if b[0] == '0'+val {body} else {other}
	logs                   // t.Log()
	fork                   // go goroutine val
	block                  // {body}
	finish                 // the end of a goroutine
	finishOnce             // the end of a once's function
	jump
	writeBack // the second half of increment
)

// How many objects of each sort a program has.
const (
	variables = 4
	objects   = 2
)

// meetings is how many ways generator.choose knows of to meet; the first ones but one are sections.
const (
	meetings = 24
	sections = 9
)

// statement is one statement of a program.
type statement struct {
	kind        kind
	obj, val    int
	body, other []statement
	line        int // in the source; all that it does itself is there
	nap         int // how long it waits before, in units of nap
}

// Program is a test.
type Program struct {
	Name       string
	goroutines [][]statement
	forked     []bool // by another goroutine, not by the test
}

// generator makes programs.
type generator struct {
	*rand.Rand
	inside int           // sections around the statement that is made
	guards int           // object of the innermost one
	shut   [objects]bool // somebody closes the gate already
	means  []int         // what the goroutines of this program meet in: few things, or they would hardly meet
}

// random returns a random program.
func random(r *rand.Rand) *Program {
	g := &generator{Rand: r}
	g.means = append(g.means, 1+r.IntN(sections))
	for range r.IntN(3) {
		g.means = append(g.means, (1+sections+r.IntN(meetings-sections))%meetings)
	}
	n := 2 + r.IntN(2)
	p := &Program{forked: make([]bool, n)}
	for i := range n {
		list := g.statements(2+r.IntN(4), 2)
		list[0].nap = 10 * i // mostly one after the other: what a lock orders is predicted, what nothing orders is observed
		p.goroutines = append(p.goroutines, list)
	}
	if n == 3 && r.IntN(3) == 0 {
		at := r.IntN(len(p.goroutines[0]) + 1)
		rest := append([]statement{{kind: fork, val: 2}}, p.goroutines[0][at:]...)
		p.goroutines[0] = append(p.goroutines[0][:at:at], rest...)
		p.forked[2] = true
	}
	return p
}

func (g *generator) statements(n, depth int) (list []statement) {
	for range n {
		list = append(list, g.statement(depth))
	}
	return list
}

// section is a block between two statements.
func (g *generator) section(begin, end kind, depth int) statement {
	obj, outer := g.object(), g.guards
	g.guards, g.inside = obj, g.inside+1
	list := append([]statement{{kind: begin, obj: obj}}, g.statements(g.IntN(3), depth-1)...)
	g.guards, g.inside = outer, g.inside-1
	return statement{kind: block, body: append(list, statement{kind: end, obj: obj})}
}

// object is mostly the same, so that goroutines meet.
func (g *generator) object() int {
	if g.IntN(4) > 0 {
		return 0
	}
	return 1 + g.IntN(objects-1)
}

// variable is mostly one that belongs to the section around it, and outside of sections one that belongs to none: too many
// races leave nothing to predict.
func (g *generator) variable() int {
	switch {
	case g.IntN(16) == 0:
		return g.IntN(variables)
	case g.inside > 0:
		return g.guards
	default:
		return objects + g.IntN(variables-objects)
	}
}

func (g *generator) statement(depth int) statement {
	s := g.choose(depth)
	if g.IntN(3) == 0 {
		s.nap = 1 + g.IntN(6)
	}
	return s
}

func (g *generator) choose(depth int) statement {
	s := statement{obj: g.object(), val: 1 + g.IntN(2)}
	branch := func(k kind) statement {
		s.kind = k
		s.body, s.other = g.statements(1+g.IntN(2), depth-1), g.statements(g.IntN(2), depth-1)
		return s
	}
	simple := func(k kind) statement {
		s.kind = k
		return s
	}
	if depth == 0 || g.IntN(4) == 0 {
		s.obj = g.variable()
		if g.inside == 0 && g.IntN(8) > 0 { // what a racing read has read is uncertain, and ends all schedules
			return simple(write)
		}
		return simple([]kind{write, write, read, increment}[g.IntN(4)])
	}
	switch g.means[g.IntN(len(g.means))] {
	case 0:
		s.obj = g.variable()
		return branch(ifEqual)
	case 1, 2, 3, 4:
		return g.section(lock, unlock, depth)
	case 5:
		return g.section(rlock, runlock, depth)
	case 6:
		return g.section(wlock, wunlock, depth)
	case 7, 8, 9:
		return g.section(put, take, depth)
	case 10:
		n := g.IntN(2)
		t := branch([]kind{tryLock, tryRLock}[n])
		t.body = append(t.body, statement{kind: []kind{unlock, runlock}[n], obj: t.obj})
		return t
	case 11:
		t := branch([]kind{tryPut, tryTake}[g.IntN(2)])
		if t.kind == tryPut && g.IntN(3) > 0 {
			t.body = append(t.body, statement{kind: take, obj: t.obj})
		}
		return t
	case 12:
		return simple([]kind{add, add, orBits, andBits}[g.IntN(4)])
	case 13:
		return branch([]kind{ifLoad, ifOld, ifSwap}[g.IntN(3)])
	case 14:
		return simple([]kind{store, add, orBits}[g.IntN(3)])
	case 15:
		s.val = g.IntN(2)
		return branch(ifLen)
	case 16:
		return simple(send)
	case 17:
		return branch(ifReceive)
	case 18:
		return branch(once)
	case 19:
		if g.shut[s.obj] {
			return simple(await)
		}
		g.shut[s.obj] = true
		return simple(shut)
	case 20:
		return branch(ifShut)
	case 21:
		return simple(opaque)
	case 22:
		return branch(ifByte)
	default:
		return simple([]kind{put, take, lock, unlock, logs, opaque}[g.IntN(6)])
	}
}
