package seam

// A context that can be canceled keeps a lock, which everything takes that is done with it or with
// a context made of it. It orders goroutines that have nothing to do with each other: those that
// serve requests, each with a context of its own below that of the server, and one that asks for
// Done before another one cancels. What context promises is less (E6):
//
//   - Done returns the same channel each time. Whether it is closed is told by the channel's own
//     operations. So asking for it keeps no place until the context is canceled. If nobody had
//     asked by then, the answer is a channel that all such contexts share, and that has always been
//     closed: only the load shows that it was after the cancellation. Any other answer shows that
//     somebody had asked before.
//   - A child that is added to a context's children, or taken away, makes no difference for another
//     child. Only cancel looks at them. It takes the lock as before, so it keeps its place among
//     the additions and removals.
//
// What a context of the program's own calls when it is asked for an AfterFunc, and when that is
// stopped, may be unrecorded code.
//
// For happens-before, the goroutine that asks first is before those that get its channel, and
// before cancel; the lock itself is left out there. No code of the program runs in an unobserved
// part: a context of the program's own is asked outside of it.

// contextHelpers is added to package context.
const contextHelpers = `package context

import "internal/race"

// racepredDone is Done.
func (c *cancelCtx) racepredDone() chan struct{} {
	d := c.racepredAsk()
	race.Disable()
	canceled := c.err.Load() != nil
	race.Enable()
	if canceled {
		c.done.Load() // after cancel, or after who asked first
	}
	return d
}

// racepredAsk is Done for callers that only wait.
func (c *cancelCtx) racepredAsk() chan struct{} {
	if d := c.racepredLoad(); d != nil {
		return d
	}
	return c.racepredMake()
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
