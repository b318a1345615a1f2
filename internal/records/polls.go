package records

import "github.com/racepred/racepred/internal/trace"

// A goroutine that waits in a loop looks at an object again and again, as in "select { case
// <-ctx.Done(): default: }", which may be all that it records for seconds. A look is an Observe or
// a HardAcquire.
//
//	(Y1) Of successive looks of one kind at one object by a goroutine, the first and the last one
//	     are left, if nobody changed the object and the goroutine had no events but looks in
//	     between.
//	(Y2) A look that is not the first one waits for the next one, for the goroutine's next event of
//	     another kind, and for an event of another goroutine with the object that is no look, or
//	     with new memory. It waits no longer than a merge.
//
// The stream is one of the same program: all looks between the two saw and learned what both did,
// and may be taken to come right before the last.

// Polls leaves out looks of a stream.
type Polls struct {
	Deliver func(*trace.Event) // gets those that have waited, which are valid until it returns

	at      [pollers]poller // by the last bits of the goroutine
	waiting int             // how many looks wait
	objects [hashes]uint8   // how many wait, by the hash of their object
}

// poller has the looks of a goroutine since its last event of another kind, the latest last.
type poller struct {
	g    trace.G
	n    int
	seen [maxPolled]struct {
		ev    trace.Event
		waits bool
	}
}

const (
	pollers   = 16 // goroutines that are looked after at a time
	maxPolled = 8  // looks of a loop
)

// Event takes in the next event, delivers those that come before it, and returns whether it waits.
func (x *Polls) Event(ev *trace.Event) (waits bool) {
	p := &x.at[ev.G%pollers]
	if ev.Kind == trace.Observe || ev.Kind == trace.HardAcquire {
		return x.repeats(p, ev)
	}
	if p.g == ev.G && p.n > 0 {
		x.end(p)
	}
	if x.waiting > 0 && !ev.Kind.Spec().Access {
		x.others(ev)
	}
	return false
}

// repeats takes in a look, and returns whether it waits.
func (x *Polls) repeats(p *poller, ev *trace.Event) bool {
	if p.g != ev.G {
		x.end(p)
		p.g = ev.G
	}
	for i := range p.n {
		s := &p.seen[i]
		if s.ev.Addr != ev.Addr || s.ev.Kind != ev.Kind || s.ev.Flags != ev.Flags {
			continue
		}
		if !s.waits {
			x.waiting++
			x.objects[hash(ev.Addr)]++ // pollers times maxPolled is less than it holds
		}
		copy(p.seen[i:p.n], p.seen[i+1:p.n])
		last := &p.seen[p.n-1]
		last.ev, last.waits = *ev, true
		return true
	}
	x.deliver(p) // a goroutine's events keep their order
	if p.n == maxPolled {
		p.n = 0
	}
	s := &p.seen[p.n]
	s.ev, s.waits = *ev, false
	p.n++
	return false
}

// deliver delivers what waits of a goroutine.
func (x *Polls) deliver(p *poller) {
	for i := range p.n {
		if s := &p.seen[i]; s.waits {
			s.waits = false
			x.waiting--
			x.objects[hash(s.ev.Addr)]--
			x.Deliver(&s.ev)
		}
	}
}

// end delivers it, and forgets what the goroutine has looked at.
func (x *Polls) end(p *poller) {
	x.deliver(p)
	p.n = 0
}

// others delivers what waits for an event that is no access and no look: looks do not tell which of
// them came first.
func (x *Polls) others(ev *trace.Event) {
	if ev.Kind != trace.Alloc && (ev.Addr == 0 || x.objects[hash(ev.Addr)] == 0) {
		return
	}
	for i := range x.at {
		p := &x.at[i]
		for j := range p.n {
			if s := &p.seen[j]; s.waits && (s.ev.Addr == ev.Addr || ev.Kind == trace.Alloc && ev.Covers(s.ev.Addr)) {
				x.end(p)
				break
			}
		}
	}
}

// Flush delivers all that waits.
func (x *Polls) Flush() {
	for i := range x.at {
		x.end(&x.at[i])
	}
}
