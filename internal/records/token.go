package records

import "github.com/racepred/racepred/internal/trace"

// A channel with room for one element may be a lock: the goroutine that puts an element in has the lock, and gives it back by taking the element out. Everybody
// finds the element that is his own, so sections may trade places as those of a mutex do. Channels of pointers are not looked at.
//
//	(T1) A channel is taken for a lock until a goroutine takes out what another put in; then it is none for the rest of its life.
//	(T2) A send by rewritten code on a lock begins a section: Acquire, and an unseen Change.
//	(T3) The receive that ends it is an unseen Change and a Release. By another goroutine it is a Change that is seen, and a hand-over.
//	(T4) All other sends and receives are Changes that are seen.
//	(T5) Each is, besides, what the toolchain makes of it for happens-before, a HardSwap of the buffer, or if the elements have no size a
//	     HardAcquire and a HardRelease. Where the Change is unseen, so is what is acquired.
//	(T6) A goroutine that is in maxInside sections when it puts an element into a lock gives up the outermost section that is a channel's, by a Change that is
//	     seen and a Release. That channel is no lock from then on. Such a channel mostly has elements that nobody ever takes out, as those that tell others
//	     that there is something to do; sections that never end would cost each access of the goroutine as much as there are.
//	(T7) So does one that gives back a lock, of sections that are channels' and began under it: a message that is sent under a lock is mostly taken
//	     later, or never, and that lock's section is to stay one that nests.
//
// Both Changes of an element lie in its section, so in a schedule, too, a send finds the channel empty and a receive finds it full. `go test
// ./internal/oracle -run Tokens` holds that to brute force.

// tokens are the channels that are looked at, by address. Those beyond maxTokens are no locks.
type tokens map[trace.Addr]token

const maxTokens = 1 << 12

// maxInside is how many sections a goroutine that uses channels as locks is in at most. (T6)
const maxInside = 8

// token is one channel.
type token struct {
	holder trace.G // who put in what is there; 0: nothing is, or nobody knows
	inside bool    // in a section (T2)
	spent  bool    // (T1) it is no lock
}

// token makes events of a send or a receive.
func (c *Converter) token(ev *trace.Event) {
	sends, empty, lock := ev.Size&rpTokenSent != 0, ev.Size&rpTokenEmpty != 0, ev.Addr
	buffer := lock + trace.Addr(ev.Size>>rpTokenBits)
	ev.Size = 0
	t, known := c.tokens[lock]
	followed := known || len(c.tokens) < maxTokens
	t.spent = t.spent || !followed
	var unseen trace.Flags
	if sends {
		if t.holder != 0 { // who took that out is not recorded
			c.endToken(&t, ev)
			t.spent = true
		}
		t.holder = ev.G
		if !t.spent && c.soft(ev.Stack) {
			c.giveUp(ev.G)
			t.inside, unseen = true, trace.FlagUnseen
			ev.Flags = trace.FlagTried
			c.emit(trace.Acquire, ev)
			ev.Flags = 0
			c.enter(ev)
		}
		ev.Flags = unseen
		c.emit(trace.Change, ev)
	} else {
		if t.holder != ev.G {
			t.spent = true
		} else if t.inside {
			unseen = trace.FlagUnseen
		}
		ev.Flags = unseen
		c.emit(trace.Change, ev)
		c.endToken(&t, ev)
	}
	if followed {
		c.tokens[lock] = t
	}
	ev.Addr, ev.Stack, ev.Flags = buffer, 0, unseen
	if !empty {
		c.emit(trace.HardSwap, ev)
		return
	}
	c.emit(trace.HardAcquire, ev)
	ev.Flags = 0
	c.emit(trace.HardRelease, ev)
}

// giveUp is (T6).
func (c *Converter) giveUp(g trace.G) {
	held := c.opaqueTokens.Get(g)
	if held == nil || len(*held) < maxInside {
		return
	}
	for i := range *held {
		if c.noLock(g, (*held)[i].lock) {
			return
		}
	}
}

// outlived is (T7), before g gives back a lock.
func (c *Converter) outlived(g trace.G, lock trace.Addr) {
	held := c.opaqueTokens.Get(g)
	if held == nil || len(c.tokens) == 0 || len(*held) == 0 || (*held)[len(*held)-1].lock == lock {
		return
	}
	first := len(*held)
	for i := range *held {
		if (*held)[i].lock == lock {
			first = i
		}
	}
	for i := len(*held) - 1; i > first; i-- {
		c.noLock(g, (*held)[i].lock)
	}
}

// noLock ends the section of g that is a channel's. From then on it is no lock.
func (c *Converter) noLock(g trace.G, channel trace.Addr) bool {
	t := c.tokens[channel]
	if !t.inside || t.holder != g {
		return false
	}
	ev := trace.Event{G: g, Addr: channel}
	c.tells(g, channel)
	c.hears(&ev, channel)
	c.emit(trace.Change, &ev)
	c.endToken(&t, &ev)
	t.spent = true
	c.tokens[channel] = t
	return true
}

// endToken ends the section that t is in, if any, by the goroutine and at the channel of ev. The channel is empty then.
func (c *Converter) endToken(t *token, ev *trace.Event) {
	if t.inside {
		ev.Flags = 0
		c.leave(ev)
		c.emit(trace.Release, ev)
	}
	t.holder, t.inside = 0, false
}

// forgetTokens ends the lives of channels in the memory that ev gives a new life.
func (c *Converter) forgetTokens(ev *trace.Event) {
	if len(c.tokens) == 0 {
		return
	}
	forget := func(lock trace.Addr, t token) {
		if t.inside {
			c.endToken(&t, &trace.Event{G: ev.G, Addr: lock})
		}
		delete(c.tokens, lock)
	}
	const word = 8 // what a channel is aligned to, at least
	if int(ev.Size)/word < len(c.tokens) {
		for lock := ev.Addr &^ (word - 1); lock < ev.Addr+trace.Addr(ev.Size); lock += word {
			if t, ok := c.tokens[lock]; ok {
				forget(lock, t)
			}
		}
		return
	}
	for lock, t := range c.tokens {
		if lock-ev.Addr < trace.Addr(ev.Size) {
			forget(lock, t)
		}
	}
}
