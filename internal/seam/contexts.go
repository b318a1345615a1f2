package seam

// A context that can be canceled keeps a lock, which everything takes that is done with it or with a context made of it. It orders goroutines that have nothing to do with
// each other: those that serve requests, each with a context of its own below that of the server, and one that asks for Done before another one cancels. What
// context promises is less (E6):
//
//   - Done returns the same channel each time. Which one that is, nobody finds out, and whether it is closed is told by the channel's own
//     operations. So asking for it keeps no place, unless the context was canceled before anybody asked. Then the answer is a channel that has always been closed, and only
//     the load shows that it was after the cancellation.
//   - A child that is added to a context's children, or taken away, makes no difference for another child. Only cancel looks at them. It takes the lock as
//     before, so it keeps its place among the additions and removals.
//
// For happens-before, the goroutine that asks first is before those that get its channel, and before cancel; the lock itself is left out there. No code of the
// program runs in an unobserved part: a context of the program's own is asked outside of it.

// contextHelpers is added to package context.
const contextHelpers = `package context

import "internal/race"

// racepredDone is Done.
func (c *cancelCtx) racepredDone() chan struct{} {
	d := c.racepredLoad()
	if d == nil {
		d = c.racepredMake()
	}
	if d == closedchan {
		c.done.Load() // after cancel
	}
	return d
}

// racepredLoad returns the channel, if there is one.
func (c *cancelCtx) racepredLoad() chan struct{} {
	was := race.Unseen(true)
	d, _ := c.done.Load().(chan struct{})
	race.Unseen(was)
	return d
}

func (c *cancelCtx) racepredMake() chan struct{} {
	race.Disable()
	c.mu.Lock()
	race.Enable()
	was := race.Unseen(true)
	d, _ := c.done.Load().(chan struct{})
	if d == nil {
		d = make(chan struct{})
		c.done.Store(d)
	}
	race.Unseen(was)
	race.Disable()
	c.mu.Unlock()
	race.Enable()
	return d
}
`
