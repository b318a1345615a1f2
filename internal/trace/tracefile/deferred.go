package tracefile

import (
	"fmt"
	"math"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/trace"
)

// Flags of a deferred search, and of a goal.
const (
	deferredComplete = 1 << iota
	deferredMidway
	deferredBefore
	deferredAfter
)
const (
	goalAlone = 1
	goalKind  = 1 // the kind is shifted by that many bits
)

// Deferred adds a part of a run with goals whose search was deferred. Names that its events refer
// to must have been added before.
func (e *Writer) Deferred(s *trace.Deferred, events []trace.Event) {
	e.fill()
	flags := uint64(0)
	if s.Complete {
		flags |= deferredComplete
	}
	if s.Midway {
		flags |= deferredMidway
	}
	if s.Before {
		flags |= deferredBefore
	}
	if s.After {
		flags |= deferredAfter
	}
	content := appendUint(nil, e.written)
	content = appendUint(content, uint64(len(events)))
	content = appendUint(content, flags)
	for _, list := range [][]int32{s.Racy, s.Still} {
		content = appendUint(content, uint64(len(list)))
		last := int32(0)
		for _, i := range list {
			content = appendUint(content, uint64(i-last))
			last = i
		}
	}
	for _, g := range s.Goals {
		flags := uint64(g.Kind) << goalKind
		if g.Alone {
			flags |= goalAlone
		}
		content = appendUint(content, uint64(g.Events[0]))
		content = appendUint(content, uint64(g.Events[1]))
		content = appendUint(content, flags)
		if g.Kind != goal.Race {
			content = appendUint(content, uint64(len(g.Events)-2))
			for _, i := range g.Events[2:] {
				content = appendUint(content, uint64(i))
			}
		}
		content = appendUint(content, uint64(len(g.By)))
		for _, name := range g.By {
			content = appendString(content, name)
		}
	}
	e.block(blockDeferred, &content)
	for i := range events {
		e.Event(&events[i])
		if e.Full() {
			e.fill()
		}
	}
	e.fill()
}

func (d *Reader) startDeferred(in *input) error {
	if err := d.total(in); err != nil {
		return err
	}
	n := in.uint32("a number of events")
	place := func(what string, from int32) int32 {
		i := uint64(in.uint32(what)) + uint64(from)
		if in.err == nil && i >= uint64(n) {
			in.fail(fmt.Errorf("%s at place %d of %d events", what, i, n))
		}
		return int32(i)
	}
	flags := in.uint32("flags")
	s := &trace.Deferred{
		Complete: flags&deferredComplete != 0, Midway: flags&deferredMidway != 0, Before: flags&deferredBefore != 0, After: flags&deferredAfter != 0,
	}
	last := int32(0)
	for range in.count("reads") {
		last = place("a read", last)
		s.Racy = append(s.Racy, last)
	}
	last = 0
	for range in.count("first events") {
		last = place("a first event", last)
		s.Still = append(s.Still, last)
	}
	for in.more() {
		var g trace.DeferredGoal
		g.Events = []int32{place("an event", 0), place("an event", 0)}
		flags := in.uint32("flags")
		g.Alone, g.Kind = flags&goalAlone != 0, goal.Kind(flags>>goalKind)
		if g.Kind != goal.Race {
			for range in.count("events") {
				g.Events = append(g.Events, place("an event", 0))
			}
		}
		if in.err == nil && (flags>>goalKind > math.MaxUint8 || !g.Kind.Takes(len(g.Events))) {
			in.fail(fmt.Errorf("a %v with %d events", g.Kind, len(g.Events)))
		}
		for range in.count("names") {
			g.By = append(g.By, in.string())
		}
		s.Goals = append(s.Goals, g)
	}
	d.deferred, d.deferredLen = s, uint64(n)
	d.answer = trace.DeferredGoals
	return nil
}

// Deferred is the deferred search that the last answer trace.DeferredGoals announced, and how many
// events it has.
func (d *Reader) Deferred() (s *trace.Deferred, events uint64) { return d.deferred, d.deferredLen }
