// Package programs makes random concurrent programs that are small enough to try every schedule of,
// and knows which of their accesses can race.
//
// The oracle (internal/oracle) does the same for traces. But a trace that lacks an order has
// schedules that the program does not have. Every race that racepred predicts must be one that some
// schedule of the program has.
package programs

import (
	"math/rand/v2"
	"slices"
)

// kind is what a statement does.
type kind uint8

const (
	write       kind = iota // x = val
	read                    // use(x)
	increment               // x++
	update                  // x op= val, see updates.go
	ifEqual                 // if x == val {body} else {other}
	addTo                   // an atomic x += 1, see mixed.go
	ifAdd                   // if an atomic x += 1 makes it val {body} else {other}
	ifExchange              // if the old value of an atomic x = val is 1 {body} else {other}
	ifCompare               // if an atomic change of x from val to val+1 succeeds {body} else {other}
	lock                    // mu.Lock()
	unlock                  // mu.Unlock()
	rlock                   // rw.RLock()
	runlock                 // rw.RUnlock()
	wlock                   // rw.Lock()
	wunlock                 // rw.Unlock()
	tryLock                 // if mu.TryLock() {body} else {other}
	tryRLock                // if rw.TryRLock() {body} else {other}
	add                     // c.Add(1)
	orBits                  // c.Or(val)
	andBits                 // c.And(val)
	store                   // c.Store(val)
	ifLoad                  // if c.Load() == val {body} else {other}
	ifOld                   // if c.Swap(val) == 0 {body} else {other}
	ifSwap                  // if c.CompareAndSwap(0, val) {body} else {other}
	put                     // token <- struct{}{}
	take                    // <-token
	tryPut                  // select { case token <- struct{}{}: body; default: other }
	tryTake                 // select { case <-token: body; default: other }
	ifLen                   // if len(token) == val {body} else {other}
	send                    // ch <- val
	ifReceive               // if <-ch == val {body} else {other}
	once                    // once.Do(func() {body})
	shut                    // close(gate)
	await                   // <-gate
	ifShut                  // select { case <-gate: body; default: other }
	meet                    // rv <- val, without a buffer
	ifMeet                  // if <-rv == val {body} else {other}
	tryMeet                 // select { case rv <- val: body; default: other }
	ifEither                // select { case <-ch: body; case <-gate: other }
	waitFor                 // if x != val { cond.Wait() }, within a section of mu
	signal                  // cond.Signal()
	broadcast               // cond.Broadcast()
	done                    // tasks.Done(), of a WaitGroup that begins with one task
	allDone                 // tasks.Wait()
	cancel                  // cancel()
	canceled                // <-ctx.Done()
	ifCanceled              // if ctx.Err() != nil {body} else {other}
	ifLoaded                // if _, loaded := m.LoadOrStore(1, val); loaded {body} else {other}
	pooled                  // p := pool.Get().(*[2]int); p[0]++; pool.Put(p)
	opaque                  // strconv.AppendInt(b[:0], val, 10): code that nobody records writes b
	ifByte                  // if b[0] == '0'+val {body} else {other}
	logs                    // t.Log()
	push                    // list = append(list, val), see lists.go
	ifSize                  // if len(list) == val {body} else {other}
	ifFirst                 // if len(list) > 0 && list[0] == val {body} else {other}
	ifRoom                  // if room[val] == 1 {body} else {other}, of a slice of the same array
	transmit                // stream.Write([]byte{val})
	ifRead                  // if byte read from stream == val {body} else {other}
	ifHangUp                // if stream.Close() == nil {body} else {other}
	ifUnread                // if the stream has something to read {body} else {other}
	dial                    // net.Dial, closed at once
	accept                  // listener.Accept, closed at once
	ifMkdir                 // if os.Mkdir(dir) == nil {body} else {other}
	rmdir                   // os.Remove(dir)
	ifRename                // if os.Rename(dir, other name) == nil {body} else {other}
	ifExists                // if os.Lstat(dir) finds it {body} else {other}
	writeAt                 // file.WriteAt([]byte{val}, 0)
	ifReadAt                // if first byte of the file == val {body} else {other}
	storeMapped             // atomic store of val in memory that is not Go's
	ifMapped                // if its atomic load == val {body} else {other}
	kill                    // syscall.Kill(self, signal)
	awaitSignal             // waits for the signal
	ifCloses                // if close(gate) does not panic {body} else {other}
	ifTallies               // if tally.Done() does not panic {body} else {other}, of a WaitGroup that begins with one task
	sleep                   // time.Sleep(val), in a bubble
	ifLater                 // if time.Since(begin) >= val {body} else {other}, in a bubble
	fork                    // go goroutine val
	after                   // time.AfterFunc(d, goroutine val)
	join                    // waits for the end of goroutine val
	block                   // {body}
	deferred                // func() { first of body; defer last of body; rest of body }()
	finish                  // the end of a goroutine
	finishOnce              // the end of a once's function
	wake                    // what a goroutine does when its Wait ends
	awake                   // what a goroutine does when its sleep ends
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
	meetings = 33
	sections = 9
	lists    = meetings - 1
	outside  = meetings     // the first one of the operating system
	fails    = outside + 10 // the first one of operations that may fail
	fakes    = fails + 3    // the first one of fake time
	allMeans = fakes + 3
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
	joined     bool   // the goroutine that forks it waits for it
	bubble     bool   // its clock is a bubble's
}

// generator makes programs.
type generator struct {
	*rand.Rand
	inside                int           // sections around the statement that is made
	guards                int           // object of the innermost one
	shut                  [objects]bool // a goroutine closes the gate already
	ended                 [objects]bool // a goroutine calls Done already
	wrote, called, killed [objects]bool // a goroutine does so already
	owed                  [objects]int  // how many sends of a rendezvous nobody receives yet
	waits                 [objects]int  // for which value somebody waits
	bubble                bool
	mixed                 bool  // atomic operations have variables that are stored plainly, too
	means                 []int // the ways in which the goroutines of this program synchronize: few, or they would hardly meet
}

// random returns a random program.
func random(r *rand.Rand) *Program {
	g := &generator{Rand: r}
	g.means = append(g.means, 1+r.IntN(sections))
	g.bubble = r.IntN(6) == 0
	if r.IntN(3) == 0 {
		g.means = append(g.means, lists)
	}
	if g.mixed = r.IntN(4) == 0; g.mixed {
		g.means = append(g.means, 0)
	}
	for range r.IntN(3) {
		g.means = append(g.means, g.mean())
	}
	if g.bubble {
		g.means = append(g.means, fakes+r.IntN(allMeans-fakes))
	}
	n := 2 + r.IntN(2)
	p := &Program{forked: make([]bool, n), bubble: g.bubble}
	for i := range n {
		list := g.statements(2+r.IntN(4), 2)
		list[0].nap = 10 * i // mostly one after the other: what a lock orders is predicted, what nothing orders is observed
		p.goroutines = append(p.goroutines, list)
	}
	if n == 3 && r.IntN(3) == 0 {
		at := r.IntN(len(p.goroutines[0]) + 1)
		k := []kind{fork, fork, after}[r.IntN(3)]
		if p.bubble {
			k = fork
		}
		p.insert(0, at, statement{kind: k, val: 2})
		p.forked[2] = true
		if r.IntN(2) == 0 {
			p.joined = true
			p.insert(0, -1, statement{kind: join, val: 2})
		}
	}
	return p
}

// mean is a way to synchronize that is not a section: every other one is outside of Go or an
// operation that may fail. In a bubble none is outside of Go, since its clock stands still while a
// goroutine waits for the operating system.
func (g *generator) mean() int {
	switch {
	case g.bubble && g.IntN(3) == 0:
		return fails + g.IntN(2)
	case g.bubble || g.IntN(2) == 0:
		return (1 + sections + g.IntN(meetings-sections)) % meetings
	default:
		return outside + g.IntN(fakes-outside)
	}
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

// condition is a section that waits for a value, or one that sets it and wakes the goroutine that
// waits.
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

// variable is mostly one that belongs to the section around it, and outside of sections one that
// belongs to none: with too many races there would be nothing to predict.
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
		return g.access(s)
	}
	switch mean := g.means[g.IntN(len(g.means))]; mean {
	case 0:
		s.obj = g.variable()
		k := g.mix(s.obj, ifEqual, ifEqual, ifAdd, ifExchange, ifCompare)
		inside := g.inside
		if k != ifEqual { // what depends on the result is mostly not the section's
			g.inside = 0
		}
		s = branch(k)
		g.inside = inside
		return s
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
	case 31:
		return simple([]kind{put, take, lock, unlock, logs, opaque}[g.IntN(6)])
	case lists:
		return g.onList(s, branch)
	default:
		return g.chooseOutside(mean, s, simple, branch)
	}
}

// access makes s an access of a variable.
func (g *generator) access(s statement) statement {
	s.obj = g.variable()
	if g.inside == 0 && g.IntN(8) > 0 { // what a racing read has read is uncertain, and ends all schedules
		s.kind = write
		return s
	}
	k := g.IntN(6)
	if k > 3 {
		s.kind, s.val = update, g.update()
		return s
	}
	s.kind = []kind{write, write, read, g.mix(s.obj, increment, addTo)}[k]
	return s
}
