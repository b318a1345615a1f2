package tracefile

import (
	"fmt"

	"github.com/racepred/racepred/internal/trace"
)

// Flags of a stretch, and of a pair.
const (
	stretchComplete = 1 << iota
	stretchMidway
	stretchBefore
	stretchAfter
)
const pairAlone = 1

// Stretch adds a stretch of a run. What its events refer to must have been added before.
func (e *Writer) Stretch(s *trace.Stretch, events []trace.Event) {
	e.fill()
	flags := uint64(0)
	if s.Complete {
		flags |= stretchComplete
	}
	if s.Midway {
		flags |= stretchMidway
	}
	if s.Before {
		flags |= stretchBefore
	}
	if s.After {
		flags |= stretchAfter
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
	for _, p := range s.Pairs {
		flags := uint64(0)
		if p.Alone {
			flags |= pairAlone
		}
		content = appendUint(content, uint64(p.First))
		content = appendUint(content, uint64(p.Second))
		content = appendUint(content, flags)
		content = appendUint(content, uint64(len(p.By)))
		for _, name := range p.By {
			content = appendString(content, name)
		}
	}
	e.block(blockStretch, &content)
	for i := range events {
		e.Event(&events[i])
		if e.Full() {
			e.fill()
		}
	}
	e.fill()
}

func (d *Reader) startStretch(in *input) error {
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
	s := &trace.Stretch{
		Complete: flags&stretchComplete != 0, Midway: flags&stretchMidway != 0, Before: flags&stretchBefore != 0, After: flags&stretchAfter != 0,
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
		p := trace.OpenPair{First: place("an access", 0), Second: place("an access", 0), Alone: in.uint32("flags")&pairAlone != 0}
		for range in.count("names") {
			p.By = append(p.By, in.string())
		}
		s.Pairs = append(s.Pairs, p)
	}
	d.stretch, d.stretchLen = s, uint64(n)
	d.answer = trace.Open
	return nil
}

// Stretch is what the last answer trace.Open was about, and how many events it has.
func (d *Reader) Stretch() (s *trace.Stretch, events uint64) { return d.stretch, d.stretchLen }
