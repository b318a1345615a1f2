package records

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/validate"
)

// Checker checks the records, and the events made of them:
//
//	(K1) tickets come in order, each once and without gaps;
//	(K2) a goroutine's records keep their order: no stamp is below the previous one, the first
//	     record of a goroutine comes after the second ticket of its fork, and no stamp is beyond the
//	     next ticket;
//	(K3) a run can have the stream: package validate finds nothing but remarks.
//
// It panics if a rule is broken.
type Checker struct {
	Records, Events, Remarks uint64 // how many were checked, and how many remarks there were

	stream *validate.Checker
	last   map[uint32]uint64 // the least stamp that a goroutine's next record may have
}

// NewChecker returns a Checker before the first record.
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
