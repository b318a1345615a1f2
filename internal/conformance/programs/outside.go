package programs

// Goroutines that synchronize through the operating system, by operations that may fail, and by a
// bubble's clock.

// room is how many bytes and connections at most wait to be taken. Programs that need more are left
// out.
const room = 4

// world is the state of the operating system, and of the operations that may fail.
type world struct {
	stream              [objects][room]int8 // what was transmitted and not yet read
	unread, hungUp      [objects]int8
	calls               [objects]int8 // connections that nobody has accepted
	dir, file, mapped   [objects]int8
	signaled, overTally [objects]int8
}

// step executes an instruction; taken is false if a branch is not.
func (w *world) step(k kind, o int, v int8) (taken bool, out outcome) {
	taken, out = true, goesOn
	switch k {
	case transmit:
		if w.hungUp[o] == 1 {
			break
		}
		if w.unread[o] == room {
			return true, fatal
		}
		w.stream[o][w.unread[o]] = v
		w.unread[o]++
	case ifRead:
		switch {
		case w.unread[o] > 0:
			taken = w.stream[o][0] == v
			copy(w.stream[o][:], w.stream[o][1:])
			w.stream[o][room-1] = 0
			w.unread[o]--
		case w.hungUp[o] == 1:
			taken = false
		default:
			out = waits
		}
	case ifHangUp:
		taken = w.hungUp[o] == 0
		w.hungUp[o] = 1
	case ifUnread:
		taken = w.unread[o] > 0
	case dial:
		if w.calls[o] == room {
			return true, fatal
		}
		w.calls[o]++
	case accept:
		if w.calls[o] == 0 {
			return true, waits
		}
		w.calls[o]--
	case ifMkdir:
		taken = w.dir[o] == 0
		w.dir[o] = 1
	case rmdir:
		w.dir[o] = 0
	case ifRename:
		taken = w.dir[o] == 1
		w.dir[o] = 0
	case ifExists:
		taken = w.dir[o] == 1
	case writeAt:
		w.file[o] = v
	case ifReadAt:
		taken = w.file[o] == v
	case storeMapped:
		w.mapped[o] = v
	case ifMapped:
		taken = w.mapped[o] == v
	case kill: // a signal that is there already is not there twice
		w.signaled[o] = 1
	case awaitSignal:
		if w.signaled[o] == 0 {
			return true, waits
		}
		w.signaled[o] = 0
	case ifTallies:
		taken = w.overTally[o] == 0
		w.overTally[o] = 1
	}
	return taken, out
}

// advance moves the bubble's clock to the next time at which a goroutine wakes up. No goroutine can
// go on in the state. The clock stands still while a goroutine waits for a lock, or if none sleeps.
func (s *state) advance(code [][]instruction) bool {
	next := int8(0)
	for g := range code {
		if !s.started[g] {
			continue
		}
		switch in := &code[g][s.pc[g]]; in.kind {
		case lock, rlock, wlock, once:
			return false
		case wake:
			if !contains(s.waiters[in.obj][:], int8(g+1)) {
				return false
			}
		case awake:
			if next == 0 || s.wakes[g] < next {
				next = s.wakes[g]
			}
		}
	}
	if next == 0 {
		return false
	}
	s.clock = next
	return true
}

func contains(list []int8, v int8) bool {
	for _, w := range list {
		if w == v {
			return true
		}
	}
	return false
}

// chooseOutside is a statement of one of the means from outside on.
func (g *generator) chooseOutside(mean int, s statement, simple, branch func(kind) statement) statement {
	switch mean - outside {
	case 0, 1, 2:
		if g.wrote[s.obj] {
			return branch([]kind{ifRead, ifRead, ifHangUp}[g.IntN(3)])
		}
		g.wrote[s.obj] = true
		if g.IntN(3) == 0 {
			return branch(ifHangUp)
		}
		return simple(transmit)
	case 3:
		s = branch([]kind{ifUnread, ifUnread, ifHangUp}[g.IntN(3)])
		s.obj = 0 // a pipe has at once what was written
		return s
	case 4:
		if g.called[s.obj] {
			return simple(accept)
		}
		g.called[s.obj] = true
		return simple(dial)
	case 5, 6:
		if g.IntN(6) == 0 {
			return simple(rmdir)
		}
		return branch([]kind{ifMkdir, ifMkdir, ifRename, ifExists, ifExists}[g.IntN(5)])
	case 7:
		if g.IntN(2) == 0 {
			return simple(writeAt)
		}
		return branch(ifReadAt)
	case 8:
		if g.IntN(2) == 0 {
			return simple(storeMapped)
		}
		return branch(ifMapped)
	case 9:
		if g.killed[s.obj] {
			return simple(awaitSignal)
		}
		g.killed[s.obj] = true
		return simple(kill)
	case 10:
		return branch(ifCloses)
	case 11, 12:
		return branch(ifTallies)
	default:
		if g.IntN(4) == 0 {
			return branch(ifLater)
		}
		return simple(sleep)
	}
}
