package records

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// Config is what a Converter works with.
type Config struct {
	// Take gets the events. They are valid until it returns.
	Take func(*trace.Event)

	// Soft reports whether a stack's section of a lock may trade places with others, since only recorded code is in it; Appends, whether that
	// code is the library's and only appends to what it guards.
	Soft, Appends func(trace.Stack) bool

	// Seen says that code of the library that nobody looks into is recorded like any other.
	Seen bool

	// Check is nil where events need no check.
	Check *Checker
}

// Converter turns records, which come in the order of the run, into events.
type Converter struct {
	take          func(*trace.Event)
	soft, appends func(trace.Stack) bool
	seen          bool
	check         *Checker

	unseen       trace.Unseen
	opaqueTokens predict.ByG[[]opaqueToken]
	unheld       predict.FreeList[[]opaqueToken]
	tokens       tokens
	rounds       trace.Rounds
	tried        map[trace.Addr]open // locks that somebody tried in vain

	ev      trace.Event // what Convert makes of a record
	pinned  trace.Event // and puts before it
	next    uint64      // the ticket that comes next in the stream
	lost    bool        // the recording ended early
	events  uint64
	touched []uint8 // by goroutine, see sinceFinalizers
	told    bool    // somebody was told of everything

	forFinalizers, forTold acted
}

// NewConverter returns a Converter that has seen nothing.
func NewConverter(cfg Config) *Converter {
	return &Converter{
		take: cfg.Take, soft: cfg.Soft, appends: cfg.Appends, seen: cfg.Seen, check: cfg.Check,
		tokens:        tokens{},
		forFinalizers: acted{bit: sinceFinalizers},
		forTold:       acted{bit: sinceTold},
	}
}

// Events is how many events there were.
func (c *Converter) Events() uint64 { return c.events }

// Lost reports whether the recording ended before the program did.
func (c *Converter) Lost() bool { return c.lost }
