package records

import "github.com/racepred/racepred/internal/trace"

// A channel with room for one element may be a lock: a goroutine sends an element to take the lock,
// and receives it to give the lock back. Each goroutine receives the element that it sent itself,
// so sections may trade places as those of a mutex do. Channels of pointers do not count.
//
//	(T1) A channel counts as a lock until a goroutine receives what another one sent; from then on
//	     it is no lock.
//	(T2) A send by rewritten code on a lock begins a section: Acquire, and an unseen Change. If it
//	     is a case of a select, the Acquire is an attempt.
//	(T3) The receive that ends it is an unseen Change and a Release. By another goroutine it is a
//	     Change that is seen, and a hand-over.
//	(T4) All other sends and receives are Changes that are seen.
//	(T5) Besides, each send and receive is for happens-before what the toolchain makes of it: a
//	     HardSwap of the buffer, or, if the elements have no size, a HardAcquire and a HardRelease.
//	     If the Change is unseen, so is the acquire.
//	(T6) If a goroutine is in maxInside sections when it sends to a lock, its outermost section of a
//	     channel ends, by a Change that is seen and a Release. That channel is no lock from then on.
//	     Mostly it is one whose elements are never received, as a signal that there is something to
//	     do. Each access of the goroutine would cost more with each section that never ends.
//	(T7) When a goroutine gives back a lock, the sections of channels that began under it end in the
//	     same way: a message that is sent under a lock is mostly received later, or never, and the
//	     lock's section must stay one that nests.
//
// Both Changes of an element lie in its section. So in a schedule, too, a send finds the channel
// empty and a receive finds it full. `go test ./internal/oracle -run Tokens` compares that with
// brute force.

// tokens are the channels that may be locks, by address. There are at most maxTokens.
type tokens map[trace.Addr]token

const maxTokens = 1 << 12

// maxInside is how many sections a goroutine may be in if it uses channels as locks. (T6)
const maxInside = 8

// token is one channel.
type token struct {
	holder trace.G // the goroutine that sent the element in the channel; 0: there is none, or it is not known
	inside bool    // the holder is in a section of it (T2)
	spent  bool    // (T1) it is no lock
}

// token makes events of a send or a receive.
func (c *Converter) token(ev *trace.Event) {
	sends, waits, empty, lock := ev.Size&rpTokenSent != 0, ev.Size&rpTokenWaits != 0, ev.Size&rpTokenEmpty != 0, ev.Addr
	buffer := lock + trace.Addr(ev.Size>>rpTokenBits)
	ev.Size = 0
	t, known := c.tokens[lock]
	followed := known || len(c.tokens) < maxTokens
	t.spent = t.spent || !followed
	var unseen trace.Flags
	if sends {
		if t.holder != 0 { // an unrecorded goroutine received the last element
			c.endToken(&t, ev)
			t.spent = true
		}
		t.holder = ev.G
		if !t.spent && c.soft(ev.Stack) {
			c.giveUp(ev.G)
			t.inside, unseen = true, trace.FlagUnseen
			if !waits {
				ev.Flags = trace.FlagTried
			}
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
	held := c.opaqueTokens.Of(g)
	if len(held) < maxInside {
		return
	}
	for i := range held {
		if c.noLock(g, held[i].lock) {
			return
		}
	}
}

// outlived is (T7), before g gives back a lock.
func (c *Converter) outlived(g trace.G, lock trace.Addr) {
	held := c.opaqueTokens.Of(g)
	if len(c.tokens) == 0 || len(held) == 0 || held[len(held)-1].lock == lock {
		return
	}
	first := len(held)
	for i := range held {
		if held[i].lock == lock {
			first = i
		}
	}
	for i := len(held) - 1; i > first; i-- {
		c.noLock(g, held[i].lock)
	}
}

// noLock ends a section of g that is a channel's. From then on the channel is no lock.
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

// endToken ends the section of t, if there is one, by the goroutine and at the channel of ev. The
// channel is empty then.
func (c *Converter) endToken(t *token, ev *trace.Event) {
	if t.inside {
		ev.Flags = 0
		c.ends(trace.Release, ev)
	}
	t.holder, t.inside = 0, false
}

// forgetTokens forgets the channels in the memory that ev allocates.
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
	const word = 8 // channels are aligned to it, at least
	if int(ev.Size)/word < len(c.tokens) {
		for lock := ev.Addr &^ (word - 1); lock < ev.Addr+trace.Addr(ev.Size); lock += word {
			if t, ok := c.tokens[lock]; ok {
				forget(lock, t)
			}
		}
		return
	}
	for lock, t := range c.tokens {
		if ev.Covers(lock) {
			forget(lock, t)
		}
	}
}
