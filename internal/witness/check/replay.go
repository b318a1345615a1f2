package check

import (
	"errors"
	"fmt"

	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/witness/cells"
)

// replay is the state of one schedule.
type replay struct {
	*Checker
	pos      []int32         // how many events each goroutine has done
	last     *cells.Contents // the last store of each cell, plus one
	spoiled  *cells.Contents // 1 for cells that must not be read any more, (C13)
	reads    underWay        // of spans that may go on, (C12)
	writes   underWay        // of spans that may go on, (C13)
	garbled  *cells.Contents // 1 for cells that an append out of place may have written, (C14)
	garbling map[int32]bool  // by first append of a group that is out of place, (C14)
	merged   [][]merged      // by place in found.Unseen and by merge; nil before the first unseen Write of the cell
	now      int32           // how many events were done
	since    []int32         // by place in found.Unseen, the value of now at the last seen store of the cell
	when     map[int32]int32 // by unseen Write, the value of now when it was done
	objects  map[trace.Addr]happened
	opaque   []int32        // by lock, the last Opaque in write mode plus one
	open     [][]int32      // by lock, the sections that are open; those that began before the trace are in it once opened is set
	opened   []bool         // by lock
	passed   []int32        // by lock, how many of its first releases are done
	chains   map[int32]bool // hard releases that are done, with all other releases that their object held

	until []int32 // how many events each goroutine does in the whole schedule
	goal  []int32 // the events that are to be next at its end
}

func newReplay(c *Checker, goal []int32) *replay {
	r := &replay{
		Checker: c, goal: goal, last: cells.NewContents(c.found.N),
		garbled: cells.NewContents(c.found.N), garbling: map[int32]bool{},
		merged: make([][]merged, len(c.found.Unseen)), since: make([]int32, len(c.found.Unseen)),
		pos: make([]int32, len(c.list)), until: make([]int32, len(c.list)),
		objects: map[trace.Addr]happened{}, when: map[int32]int32{}, chains: map[int32]bool{},
		opaque: make([]int32, len(c.locks)), open: make([][]int32, len(c.locks)),
		opened: make([]bool, len(c.locks)), passed: make([]int32, len(c.locks)),
	}
	if c.opts.Dropped {
		r.spoiled, r.reads, r.writes = cells.NewContents(c.found.N), newUnderWay(c.found), newUnderWay(c.found)
	}
	return r
}

func (r *replay) done(i int32) bool { return r.pos[r.g[i]] > r.place[i] }

// prefixes is (C1). It also counts the events of each goroutine.
func (r *replay) prefixes(schedule []int32) error {
	for n, i := range schedule {
		if i < 0 || int(i) >= len(r.evs) {
			return fmt.Errorf("check: step %d: the trace has no event %d", n, i)
		}
		g := r.g[i]
		if r.place[i] != r.until[g] {
			return fmt.Errorf("check: step %d: event %d (%v) is not its goroutine's next", n, i, r.evs[i])
		}
		r.until[g]++
	}
	return nil
}

// step does event i, if it can be next.
func (r *replay) step(i int32) error {
	e := &r.evs[i]
	if err := r.allowed(i, e); err != nil {
		return err
	}
	r.pos[r.g[i]]++
	r.now++
	if e.Append() {
		r.appended(i)
		return nil
	}
	if h, part := r.header[i]; part && !r.placed(h) {
		return nil
	}
	r.does(i, e)
	return nil
}

func (r *replay) allowed(i int32, e *trace.Event) error {
	if r.place[i] == 0 {
		if f := r.fork[r.g[i]]; f >= 0 && !r.done(f) { // (C2)
			return errors.New("its goroutine is not forked")
		}
	}
	if err := r.begun(i); err != nil {
		return err
	}
	if e.Append() {
		return r.appends(i, e)
	}
	if h, part := r.header[i]; part {
		return r.part(i, h, e)
	}
	return r.may(i, e)
}
