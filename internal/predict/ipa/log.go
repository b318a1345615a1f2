package ipa

import (
	"sort"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// log has the latest events that are no accesses. To keep them is cheap; time stamps and histories
// are made only of a part of them, when there is a question about it.
type log struct {
	arena predict.Arena
	at    []entry // a power of two, or none yet
	n     uint64  // so far
}

// entry is an event with what is needed of it.
type entry struct {
	seq   trace.Seq
	addr  trace.Addr
	g     trace.G
	other uint32 // or the size of an Alloc
	kind  trace.Kind
	flags trace.Flags
	depth uint16 // how many sections its goroutine was in before it
}

const (
	minLog     = 1 << 12
	maxLog     = 1 << 15
	entryBytes = 32
)

// add takes in an event.
func (l *log) add(seq trace.Seq, ev *trace.Event, depth int) {
	if l.n < maxLog && int(l.n) == len(l.at) {
		l.grow()
	}
	other := ev.Other
	if ev.Kind == trace.Alloc {
		other = ev.Size
	}
	*l.of(l.n) = entry{seq, ev.Addr, ev.G, other, ev.Kind, ev.Flags, uint16(min(depth, 1<<16-1))}
	l.n++
}

func (l *log) grow() {
	at := predict.MakeSlab[entry](l.arena, max(minLog, min(8*len(l.at), maxLog)))
	copy(at, l.at)
	l.at = at
}

// first is the oldest entry that is kept.
func (l *log) first() uint64 { return l.n - min(l.n, uint64(len(l.at))) }

// from is the first kept entry of an event at seq or later.
func (l *log) from(seq trace.Seq) uint64 {
	first := l.first()
	return first + uint64(sort.Search(int(l.n-first), func(i int) bool { return l.of(first+uint64(i)).seq >= seq }))
}

// of is the place of an entry that is kept.
func (l *log) of(i uint64) *entry { return &l.at[i&uint64(len(l.at)-1)] }

// event is the entry as it was taken in.
func (e *entry) event() trace.Event {
	ev := trace.Event{Kind: e.kind, Flags: e.flags, G: e.g, Addr: e.addr, Other: e.other}
	if e.kind == trace.Alloc {
		ev.Other, ev.Size = 0, e.other
	}
	return ev
}
