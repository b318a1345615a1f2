package records

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// Config is what a Converter works with.
type Config struct {
	// Take gets the events. They are valid until it returns.
	Take func(*trace.Event)

	// Soft reports whether the section of a lock that begins at a stack may trade places with others, since all code in it is recorded. Appends reports whether
	// that code is the library's and only appends to a buffer.
	Soft, Appends func(trace.Stack) bool

	// OfLibrary reports whether a site is one of the library: such an access is known by its stack, as others of the library are. It may be nil.
	OfLibrary func(trace.Site) bool

	// Seen says that library code whose memory the program does not look at is recorded like other code.
	Seen bool

	// Check checks records and events; it may be nil.
	Check *Checker

	// Arena is where most is kept; nil is the Go heap.
	Arena predict.Arena
}

// Converter turns records, which come in the order of the run, into events.
type Converter struct {
	take          func(*trace.Event)
	soft, appends func(trace.Stack) bool
	ofLibrary     func(trace.Site) bool
	seen          bool
	check         *Checker

	tables       predict.Tables
	unseen       trace.Unseen
	opaqueTokens predict.Sections[opaqueToken, *opaqueToken]
	tokens       tokens
	rounds       trace.Rounds
	tried        map[trace.Addr]open // locks of which a TryLock failed
	polls        Polls
	joiner       Joiner // of what is left of polls

	ev      trace.Event // the event that Convert makes of a record
	pinned  trace.Event // an event that it emits before ev
	next    uint64      // the ticket that comes next in the stream
	at      *ticketsAt
	lost    bool // the recording ended early
	events  uint64
	touched []uint8 // by goroutine, see sinceFinalizers
	told    bool    // some goroutine was told of everything

	forFinalizers, forTold acted
}

// NewConverter returns a Converter before the first record.
func NewConverter(cfg Config) *Converter {
	c := &Converter{
		take: cfg.Take, soft: cfg.Soft, appends: cfg.Appends, ofLibrary: cfg.OfLibrary, seen: cfg.Seen, check: cfg.Check,
		tokens:        tokens{},
		forFinalizers: acted{bit: sinceFinalizers},
		forTold:       acted{bit: sinceTold},
	}
	c.tables.Arena = cfg.Arena
	c.at = predict.Make[ticketsAt](cfg.Arena)
	c.opaqueTokens.Arena(&c.tables)
	c.joiner.arena(&c.tables)
	c.polls.Deliver = func(ev *trace.Event) { c.joiner.Event(ev, false) }
	c.joiner.Deliver = c.deliver
	return c
}

// Flush gives out the events that wait (N3), (Y2).
func (c *Converter) Flush() {
	c.polls.Flush()
	c.joiner.Flush()
}

// Events is how many events it has emitted.
func (c *Converter) Events() uint64 { return c.events }

// Lost reports whether the recording ended before the program did.
func (c *Converter) Lost() bool { return c.lost }
