package programs

import "slices"

// instruction is one step of a goroutine that nothing interrupts.
type instruction struct {
	kind     kind
	obj, val int
	to       int // where a jump, or a branch that is not taken, goes on
	line     int
}

// compile appends the instructions of statements.
func compile(code []instruction, list []statement) []instruction {
	for i := range list {
		s := &list[i]
		in := instruction{kind: s.kind, obj: s.obj, val: s.val, line: s.line}
		at := len(code)
		switch {
		case s.kind == block || s.kind == deferred:
			code = compile(code, s.body)
		case s.kind == waitFor:
			code = append(code, in, instruction{kind: wake, obj: s.obj, line: s.line})
			code[at].to = len(code)
		case s.kind == sleep:
			code = append(code, in, instruction{kind: awake, line: s.line})
		case s.kind == increment || s.kind == update:
			code = append(code, in, instruction{kind: writeBack, obj: s.obj, val: s.val, line: s.line})
			if s.kind == increment {
				code[at+1].val = 0 // += 1
			}
		case s.kind == once:
			code = append(compile(append(code, in), s.body), instruction{kind: finishOnce, obj: s.obj, line: s.line})
			code[at].to = len(code)
		case s.body != nil:
			code = append(compile(append(code, in), s.body), instruction{kind: jump})
			code[at].to = len(code)
			end := len(code) - 1
			code = compile(code, s.other)
			code[end].to = len(code)
		default:
			code = append(code, in)
		}
	}
	return code
}

// state is everything that a schedule can have changed. Channels of numbers hold at most capacity.
type state struct {
	pc, register                    [4]int8
	started                         [4]bool
	x                               [variables]int8
	mu, c, token, once, gate, bytes [objects]int8
	done, canceled, loaded          [objects]int8
	waiters                         [objects][4]int8 // who waits, plus one, in the order they came
	writer, readers                 [objects]int8
	lists                           [objects]list
	ch                              [objects][capacity]int8
	sent                            [objects]int8
	out                             world
	clock                           int8 // a bubble's
	wakes                           [4]int8
}

// capacity is the room of channels of numbers.
const capacity = 2

// maxStates is how many states are tried at most.
const maxStates = 150_000

// outcome of one instruction.
type outcome uint8

const (
	goesOn outcome = iota
	waits
	fatal
)

// Races are the pairs of lines whose accesses can be next to each other, one of them a write, the
// lower line first.
type Races map[[2]int]bool

// explore tries every schedule. It fails if one of them deadlocks or crashes, or if there are too
// many states.
func (p *Program) explore() (Races, bool) {
	code := make([][]instruction, len(p.goroutines))
	for g := range code {
		code[g] = append(compile(nil, p.goroutines[g]), instruction{kind: finish})
	}
	first := state{}
	for g := range code {
		first.started[g] = !p.forked[g]
	}
	races, seen, todo := Races{}, map[state]bool{first: true}, []state{first}
	for len(todo) > 0 {
		if len(seen) > maxStates {
			return nil, false
		}
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		moved, done := false, true
		for g := range code {
			if !s.started[g] {
				continue
			}
			in := &code[g][s.pc[g]]
			if in.kind == finish {
				continue
			}
			done = false
			for h := range g {
				if s.started[h] {
					races.add(in, &code[h][s.pc[h]])
				}
			}
			for way := range ways {
				next := s
				switch next.step(g, in, way, code) {
				case fatal:
					return nil, false
				case goesOn:
					moved = true
					if !seen[next] {
						seen[next] = true
						todo = append(todo, next)
					}
				}
			}
		}
		if next := s; !moved && !done && next.advance(code) {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
			continue
		}
		if !moved && !done || done && slices.Contains(s.started[:len(code)], false) {
			return nil, false
		}
	}
	return races, true
}

// ways is how many ways an instruction may have to go on in one state: a select's, or, in a
// rendezvous, whom it is with.
const ways = 4

// access is the variable that an instruction accesses, or -1.
func (in *instruction) access() (variable int, writes bool) {
	switch in.kind {
	case write, writeBack, addTo, ifAdd, ifExchange, ifCompare:
		return in.obj, true
	case read, increment, update, ifEqual, waitFor:
		return in.obj, false
	}
	return -1, false
}

func (r Races) add(a, b *instruction) {
	x, w := a.access()
	y, v := b.access()
	if x >= 0 && x == y && (w || v) {
		r[[2]int{min(a.line, b.line), max(a.line, b.line)}] = true
	}
}

// step executes an instruction of goroutine g, in one of the ways it may have.
func (s *state) step(g int, in *instruction, way int, code [][]instruction) outcome {
	switch in.kind {
	case meet, tryMeet:
		return s.meet(g, in, way, code)
	case ifMeet:
		return waits // for a sender
	case ifEither:
		return s.either(g, in, way)
	}
	if way > 0 {
		return waits
	}
	t := turn{state: s, g: g, in: in, o: in.obj, v: int8(in.val), next: s.pc[g] + 1}
	out, known := t.memory()
	if !known {
		out, known = t.mixed()
	}
	if !known {
		out, known = t.locks()
	}
	if !known {
		out, known = t.atomics()
	}
	if !known {
		out, known = t.channels()
	}
	if !known {
		out, known = t.goroutines(code)
	}
	if !known {
		var taken bool
		if taken, out = s.out.step(in.kind, t.o, t.v); out == goesOn && in.to > 0 {
			t.unless(taken)
		}
	}
	s.pc[g] = t.next
	return out
}

// turn is an instruction that is being executed. Each method below executes some kinds of
// instructions, and reports whether the instruction is of one of these.
type turn struct {
	*state
	g    int
	in   *instruction
	o    int  // the instruction's object,
	v    int8 // and its value
	next int8 // where the goroutine goes on
}

// unless ends a branch that is not taken.
func (t *turn) unless(taken bool) {
	if !taken {
		t.next = int8(t.in.to)
	}
}

// take1 takes a lock.
func take1(n *int8) outcome {
	if *n != 0 {
		return waits
	}
	*n = 1
	return goesOn
}

// give1 gives a lock back.
func give1(n *int8) outcome {
	if *n == 0 {
		return fatal
	}
	*n--
	return goesOn
}

// memory executes accesses of variables, bytes and lists, and instructions that change nothing.
func (t *turn) memory() (out outcome, known bool) {
	switch t.in.kind {
	case read, pooled, logs:
	case write:
		t.x[t.o] = t.v
	case increment, update:
		t.register[t.g] = t.x[t.o]
	case writeBack:
		n := updated(int(t.register[t.g]), t.in.val)
		if n < -100 || n > 100 {
			return fatal, true // more than there is room for, or than use allows
		}
		t.x[t.o], t.register[t.g] = int8(n), 0
	case ifEqual:
		t.unless(t.x[t.o] == t.v)
	case ifLoaded:
		t.unless(t.loaded[t.o] == 1)
		t.loaded[t.o] = 1
	case opaque:
		t.bytes[t.o] = t.v
	case ifByte:
		t.unless(t.bytes[t.o] == t.v)
	case push:
		out = t.lists[t.o].push(t.v)
	case ifSize:
		t.unless(t.lists[t.o].len == t.v)
	case ifFirst:
		t.unless(t.lists[t.o].len > 0 && t.lists[t.o].at[0] == t.v)
	case ifRoom:
		t.unless(t.lists[t.o].at[t.v] == 1)
	default:
		return out, false
	}
	return out, true
}

// locks executes operations of locks, of conditions, and of sync.Once.
func (t *turn) locks() (out outcome, known bool) {
	switch t.in.kind {
	case lock:
		out = take1(&t.mu[t.o])
	case unlock:
		out = give1(&t.mu[t.o])
	case tryLock:
		t.unless(take1(&t.mu[t.o]) == goesOn)
	case tryRLock:
		if t.unless(t.writer[t.o] == 0); t.writer[t.o] == 0 {
			t.readers[t.o]++
		}
	case rlock:
		if t.writer[t.o] != 0 {
			return waits, true
		}
		t.readers[t.o]++
	case runlock:
		out = give1(&t.readers[t.o])
	case wlock:
		if t.readers[t.o] != 0 {
			return waits, true
		}
		out = take1(&t.writer[t.o])
	case wunlock:
		out = give1(&t.writer[t.o])
	case once:
		if t.once[t.o] == 1 {
			return waits, true
		}
		if t.unless(t.once[t.o] == 0); t.once[t.o] == 0 {
			t.once[t.o] = 1
		}
	case finishOnce:
		t.once[t.o] = 2
	case waitFor:
		if t.x[t.o] == t.v {
			t.next = int8(t.in.to)
			break
		}
		t.mu[t.o] = 0
		t.waiters[t.o][slices.Index(t.waiters[t.o][:], 0)] = int8(t.g + 1)
	case wake:
		if slices.Contains(t.waiters[t.o][:], int8(t.g+1)) {
			return waits, true
		}
		out = take1(&t.mu[t.o])
	case signal:
		t.waiters[t.o] = [4]int8{t.waiters[t.o][1], t.waiters[t.o][2], t.waiters[t.o][3]}
	case broadcast:
		t.waiters[t.o] = [4]int8{}
	default:
		return out, false
	}
	return out, true
}

// atomics executes atomic operations.
func (t *turn) atomics() (out outcome, known bool) {
	switch t.in.kind {
	case add:
		t.c[t.o]++
	case orBits:
		t.c[t.o] |= t.v
	case andBits:
		t.c[t.o] &= t.v
	case ifOld:
		t.unless(t.c[t.o] == 0)
		t.c[t.o] = t.v
	case store:
		t.c[t.o] = t.v
	case ifLoad:
		t.unless(t.c[t.o] == t.v)
	case ifSwap:
		if t.unless(t.c[t.o] == 0); t.c[t.o] == 0 {
			t.c[t.o] = t.v
		}
	default:
		return out, false
	}
	return out, true
}

// channels executes operations of channels, and of contexts, which are closed like channels.
func (t *turn) channels() (out outcome, known bool) {
	switch t.in.kind {
	case put:
		out = take1(&t.token[t.o])
	case tryPut:
		t.unless(take1(&t.token[t.o]) == goesOn)
	case take:
		if give1(&t.token[t.o]) != goesOn {
			return waits, true
		}
	case tryTake:
		t.unless(give1(&t.token[t.o]) == goesOn)
	case ifLen:
		t.unless(t.token[t.o] == t.v)
	case send:
		if t.sent[t.o] == capacity {
			return waits, true
		}
		t.ch[t.o][t.sent[t.o]] = t.v
		t.sent[t.o]++
	case ifReceive:
		if t.sent[t.o] == 0 {
			return waits, true
		}
		t.unless(t.ch[t.o][0] == t.v)
		t.ch[t.o] = [capacity]int8{t.ch[t.o][1]}
		t.sent[t.o]--
	case shut:
		if t.gate[t.o] == 1 {
			return fatal, true
		}
		t.gate[t.o] = 1
	case await:
		if t.gate[t.o] == 0 {
			return waits, true
		}
	case ifShut:
		t.unless(t.gate[t.o] == 1)
	case cancel:
		t.canceled[t.o] = 1
	case canceled:
		if t.canceled[t.o] == 0 {
			return waits, true
		}
	case ifCanceled:
		t.unless(t.canceled[t.o] == 1)
	case ifCloses:
		t.unless(t.gate[t.o] == 0)
		t.gate[t.o] = 1
	default:
		return out, false
	}
	return out, true
}

// goroutines executes starts of goroutines, waits for them and for time, and jumps.
func (t *turn) goroutines(code [][]instruction) (out outcome, known bool) {
	switch t.in.kind {
	case done:
		if t.done[t.o] == 1 {
			return fatal, true
		}
		t.done[t.o] = 1
	case allDone:
		if t.done[t.o] == 0 {
			return waits, true
		}
	case fork, after:
		t.started[t.in.val] = true
	case join:
		if !t.started[t.in.val] || code[t.in.val][t.pc[t.in.val]].kind != finish {
			return waits, true
		}
	case jump:
		t.next = int8(t.in.to)
	case sleep:
		t.wakes[t.g] = t.clock + t.v
	case awake:
		if t.clock < t.wakes[t.g] {
			return waits, true
		}
		t.wakes[t.g] = 0
	case ifLater:
		t.unless(t.clock >= t.v)
	default:
		return out, false
	}
	return out, true
}

// meet is a rendezvous of goroutine g, which sends, with goroutine way; for tryMeet, way g means
// that no other goroutine is there yet.
func (s *state) meet(g int, in *instruction, way int, code [][]instruction) outcome {
	if way == g && in.kind == tryMeet {
		s.pc[g] = int8(in.to)
		return goesOn
	}
	if way == g || way >= len(code) || !s.started[way] {
		return waits
	}
	with := &code[way][s.pc[way]]
	if with.kind != ifMeet || with.obj != in.obj {
		return waits
	}
	s.pc[g]++
	if with.val == in.val {
		s.pc[way]++
	} else {
		s.pc[way] = int8(with.to)
	}
	return goesOn
}

// either is a select without a default: the first way is a receive from ch, the second one from
// gate.
func (s *state) either(g int, in *instruction, way int) outcome {
	switch o := in.obj; {
	case way == 0 && s.sent[o] > 0:
		s.ch[o] = [capacity]int8{s.ch[o][1]}
		s.sent[o]--
		s.pc[g]++
	case way == 1 && s.gate[o] == 1:
		s.pc[g] = int8(in.to)
	default:
		return waits
	}
	return goesOn
}
