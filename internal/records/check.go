package records

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/validate"
)

// Checker holds the records, and the events made of them, to what they promise:
//
//	(K1) tickets come in their order, each once and none left out;
//	(K2) a goroutine's records keep their order: no stamp is below the one before, the first one of a goroutine comes
//	     after the second ticket of its fork, and none comes from beyond the next ticket;
//	(K3) the stream is one that a run can have: package validate finds nothing but remarks.
//
// What breaks a rule is a panic.
type Checker struct {
	Records, Events, Remarks uint64 // that were checked, and found

	stream *validate.Checker
	last   map[uint32]uint64 // stamp that a goroutine's next record may not be below
}

// NewChecker returns a Checker that has seen nothing.
func NewChecker() *Checker {
	c := &Checker{last: map[uint32]uint64{}}
	c.stream = validate.New(validate.Known{}, func(p validate.Problem) {
		if !p.Remark {
			panic(fmt.Sprintf("internal error: (K3) event %d: %s", p.Seq, p.Text))
		}
		c.Remarks++
	})
	return c
}

// record checks a record before it becomes events. The ticket next has not been seen yet.
func (c *Checker) record(id uint32, r *Record, next uint64) {
	c.Records++
	kind, stamp := r.kind(), r.stamp()
	switch {
	case kind == 0 || kind > rpTestBegin:
		panic(fmt.Sprintf("internal error: goroutine %d: a record of kind %d", id, kind))
	case kind >= rpTicketed && stamp != next:
		panic(fmt.Sprintf("internal error: (K1) goroutine %d: ticket %d comes where %d has its place", id, stamp, next))
	case stamp < c.last[id]:
		panic(fmt.Sprintf("internal error: (K2) goroutine %d: stamp %d after %d", id, stamp, c.last[id]))
	case stamp > next:
		panic(fmt.Sprintf("internal error: (K2) goroutine %d: stamp %d before ticket %d came", id, stamp, next))
	}
	switch kind {
	case rpFork:
		c.last[id] = stamp + 1
		c.last[uint32(r.What)] = stamp + 2
	case rpEnd:
		delete(c.last, id)
	default:
		if kind >= rpTicketed {
			stamp++
		}
		c.last[id] = stamp
	}
}

// event is (K3).
func (c *Checker) event(ev *trace.Event) {
	c.Events++
	c.stream.Event(ev)
}
