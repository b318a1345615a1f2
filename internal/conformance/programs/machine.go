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

// Races are the pairs of lines whose accesses can be next to each other, one of them a write, the lower line first.
type Races map[[2]int]bool

// explore tries every schedule. It fails if one of them deadlocks or crashes, or if there are too many states.
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

// ways is how many ways an instruction may have to go on in one state: a select's, or, in a rendezvous, whom it is with.
const ways = 4

// access is the variable that an instruction accesses, or -1.
func (in *instruction) access() (variable int, writes bool) {
	switch in.kind {
	case write, writeBack:
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
	o, v := in.obj, int8(in.val)
	next := s.pc[g] + 1
	unless := func(taken bool) {
		if !taken {
			next = int8(in.to)
		}
	}
	take1 := func(n *int8) outcome { // a lock
		if *n != 0 {
			return waits
		}
		*n = 1
		return goesOn
	}
	give1 := func(n *int8) outcome {
		if *n == 0 {
			return fatal
		}
		*n--
		return goesOn
	}
	out := goesOn
	switch in.kind {
	case read, pooled, logs:
	case write:
		s.x[o] = v
	case increment, update:
		s.register[g] = s.x[o]
	case writeBack:
		n := updated(int(s.register[g]), in.val)
		if n < -100 || n > 100 {
			return fatal // more than there is room for, or than use allows
		}
		s.x[o], s.register[g] = int8(n), 0
	case ifEqual:
		unless(s.x[o] == v)
	case lock:
		out = take1(&s.mu[o])
	case unlock:
		out = give1(&s.mu[o])
	case tryLock:
		unless(take1(&s.mu[o]) == goesOn)
	case tryRLock:
		if unless(s.writer[o] == 0); s.writer[o] == 0 {
			s.readers[o]++
		}
	case rlock:
		if s.writer[o] != 0 {
			return waits
		}
		s.readers[o]++
	case runlock:
		out = give1(&s.readers[o])
	case wlock:
		if s.readers[o] != 0 {
			return waits
		}
		out = take1(&s.writer[o])
	case wunlock:
		out = give1(&s.writer[o])
	case add:
		s.c[o]++
	case orBits:
		s.c[o] |= v
	case andBits:
		s.c[o] &= v
	case ifOld:
		unless(s.c[o] == 0)
		s.c[o] = v
	case store:
		s.c[o] = v
	case ifLoad:
		unless(s.c[o] == v)
	case ifSwap:
		if unless(s.c[o] == 0); s.c[o] == 0 {
			s.c[o] = v
		}
	case put:
		out = take1(&s.token[o])
	case tryPut:
		unless(take1(&s.token[o]) == goesOn)
	case take:
		if give1(&s.token[o]) != goesOn {
			return waits
		}
	case tryTake:
		unless(give1(&s.token[o]) == goesOn)
	case ifLen:
		unless(s.token[o] == v)
	case send:
		if s.sent[o] == capacity {
			return waits
		}
		s.ch[o][s.sent[o]] = v
		s.sent[o]++
	case ifReceive:
		if s.sent[o] == 0 {
			return waits
		}
		unless(s.ch[o][0] == v)
		s.ch[o] = [capacity]int8{s.ch[o][1]}
		s.sent[o]--
	case once:
		if s.once[o] == 1 {
			return waits
		}
		if unless(s.once[o] == 0); s.once[o] == 0 {
			s.once[o] = 1
		}
	case finishOnce:
		s.once[o] = 2
	case shut:
		if s.gate[o] == 1 {
			return fatal
		}
		s.gate[o] = 1
	case await:
		if s.gate[o] == 0 {
			return waits
		}
	case ifShut:
		unless(s.gate[o] == 1)
	case waitFor:
		if s.x[o] == v {
			next = int8(in.to)
			break
		}
		s.mu[o] = 0
		s.waiters[o][slices.Index(s.waiters[o][:], 0)] = int8(g + 1)
	case wake:
		if slices.Contains(s.waiters[o][:], int8(g+1)) {
			return waits
		}
		out = take1(&s.mu[o])
	case signal:
		s.waiters[o] = [4]int8{s.waiters[o][1], s.waiters[o][2], s.waiters[o][3]}
	case broadcast:
		s.waiters[o] = [4]int8{}
	case done:
		if s.done[o] == 1 {
			return fatal
		}
		s.done[o] = 1
	case allDone:
		if s.done[o] == 0 {
			return waits
		}
	case cancel:
		s.canceled[o] = 1
	case canceled:
		if s.canceled[o] == 0 {
			return waits
		}
	case ifCanceled:
		unless(s.canceled[o] == 1)
	case ifLoaded:
		unless(s.loaded[o] == 1)
		s.loaded[o] = 1
	case opaque:
		s.bytes[o] = v
	case ifByte:
		unless(s.bytes[o] == v)
	case push:
		out = s.lists[o].push(v)
	case ifSize:
		unless(s.lists[o].len == v)
	case ifFirst:
		unless(s.lists[o].len > 0 && s.lists[o].at[0] == v)
	case ifRoom:
		unless(s.lists[o].at[v] == 1)
	case fork, after:
		s.started[in.val] = true
	case join:
		if !s.started[in.val] || code[in.val][s.pc[in.val]].kind != finish {
			return waits
		}
	case jump:
		next = int8(in.to)
	case sleep:
		s.wakes[g] = s.clock + v
	case awake:
		if s.clock < s.wakes[g] {
			return waits
		}
		s.wakes[g] = 0
	case ifLater:
		unless(s.clock >= v)
	case ifCloses:
		unless(s.gate[o] == 0)
		s.gate[o] = 1
	default:
		taken := false
		if taken, out = s.out.step(in.kind, o, v); out == goesOn && in.to > 0 {
			unless(taken)
		}
	}
	s.pc[g] = next
	return out
}

// meet is a rendezvous of goroutine g, which sends, with goroutine way; for tryMeet, way g means that no other goroutine is there yet.
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

// either is a select without a default: the first way is a receive from ch, the second one from gate.
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
