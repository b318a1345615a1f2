// Package programs makes random concurrent programs that are small enough to try every schedule of, and knows which of their
// accesses can race.
//
// What the oracle (internal/oracle) does for traces this does for programs: a trace that says too little has schedules that the program
// has not. Every race that racepred predicts must be one that some schedule of the program has.
package programs

import (
	"math/rand/v2"
	"slices"
)

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
	meet                   // rv <- val, without a buffer
	ifMeet                 // if <-rv == val {body} else {other}
	tryMeet                // select { case rv <- val: body; default: other }
	ifEither               // select { case <-ch: body; case <-gate: other }
	waitFor                // if x != val { cond.Wait() }, within a section of mu
	signal                 // cond.Signal()
	broadcast              // cond.Broadcast()
	done                   // tasks.Done(), of a WaitGroup that begins with one task
	allDone                // tasks.Wait()
	cancel                 // cancel()
	canceled               // <-ctx.Done()
	ifCanceled             // if ctx.Err() != nil {body} else {other}
	ifLoaded               // if _, loaded := m.LoadOrStore(1, val); loaded {body} else {other}
	pooled                 // p := pool.Get().(*[2]int); p[0]++; pool.Put(p)
	opaque                 // strconv.AppendInt(b[:0], val, 10): code that nobody records writes b
	ifByte                 // if b[0] == '0'+val {body} else {other}
	logs                   // t.Log()
	fork                   // go goroutine val
	after                  // time.AfterFunc(d, goroutine val)
	join                   // waits for the end of goroutine val
	block                  // {body}
	deferred               // func() { first of body; defer last of body; rest of body }()
	finish                 // the end of a goroutine
	finishOnce             // the end of a once's function
	wake                   // what a goroutine does when its Wait ends
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
	meetings = 32
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
	joined     bool   // who forks it waits for it
}

// generator makes programs.
type generator struct {
	*rand.Rand
	inside int           // sections around the statement that is made
	guards int           // object of the innermost one
	shut   [objects]bool // somebody closes the gate already
	ended  [objects]bool // somebody calls Done already
	owed   [objects]int  // how many sends of a rendezvous nobody receives yet
	waits  [objects]int  // for which value somebody waits
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
		p.insert(0, at, statement{kind: []kind{fork, fork, after}[r.IntN(3)], val: 2})
		p.forked[2] = true
		if r.IntN(2) == 0 {
			p.joined = true
			p.insert(0, -1, statement{kind: join, val: 2})
		}
	}
	return p
}

// insert puts a statement at a place of goroutine g; -1 is its end.
func (p *Program) insert(g, at int, s statement) {
	list := p.goroutines[g]
	if at < 0 {
		at = len(list)
	}
	p.goroutines[g] = slices.Insert(slices.Clone(list), at, s)
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
	around := block
	if g.IntN(3) == 0 {
		around = deferred
	}
	return statement{kind: around, body: append(list, statement{kind: end, obj: obj})}
}

// condition is a section that waits for a value, or one that sets it and wakes who waits.
func (g *generator) condition(s statement) statement {
	middle := []statement{{kind: waitFor, obj: s.obj, val: s.val}}
	if v := g.waits[s.obj]; v > 0 {
		middle = []statement{{kind: write, obj: s.obj, val: v}, {kind: []kind{signal, broadcast}[g.IntN(2)], obj: s.obj}}
	}
	g.waits[s.obj] = s.val
	return statement{kind: block, body: slices.Concat([]statement{{kind: lock, obj: s.obj}}, middle, []statement{{kind: unlock, obj: s.obj}})}
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
	case 23, 24:
		if g.owed[s.obj] > 0 {
			g.owed[s.obj]--
			return branch(ifMeet)
		}
		if g.IntN(4) == 0 {
			return branch(tryMeet)
		}
		g.owed[s.obj]++
		return simple(meet)
	case 25:
		return branch(ifEither)
	case 26:
		return g.condition(s)
	case 27:
		if g.ended[s.obj] {
			return simple(allDone)
		}
		g.ended[s.obj] = true
		return simple(done)
	case 28:
		if g.IntN(2) == 0 {
			return branch(ifCanceled)
		}
		return simple([]kind{cancel, cancel, canceled}[g.IntN(3)])
	case 29:
		return branch(ifLoaded)
	case 30:
		return simple(pooled)
	default:
		return simple([]kind{put, take, lock, unlock, logs, opaque}[g.IntN(6)])
	}
}
