package trace

import "errors"

// Answer is what a Source found where it looked for the next event.
type Answer uint8

// The answers of a Source.
const (
	Ended         Answer = iota // all events were given out, and the trace says that there are no more
	Next                        // an event
	Flushed                     // no event: the recording engine decided here about all waiting goals (engine.Flush)
	Truncated                   // the trace breaks off after the events that were given out, which are good
	DeferredGoals               // no event: the next events are a part of a run with goals whose search was deferred, see Deferred
)

// Source gives out a trace event by event. An error says what is wrong with the trace, and where;
// the events given out before are good.
type Source interface {
	Next(ev *Event) (Answer, error)
}

// ErrDeferred says that a Source has deferred searches, and is more than one trace.
var ErrDeferred = errors.New("it has parts of a run whose search for schedules was deferred, which only 'racepred analyze' reads")

// ReadAll reads the rest of a Source.
func ReadAll(s Source) (events []Event, last Answer, err error) {
	var ev Event
	for {
		switch last, err = s.Next(&ev); {
		case err != nil || last == Ended || last == Truncated:
			return events, last, err
		case last == DeferredGoals:
			return events, last, ErrDeferred
		case last == Next:
			events = append(events, ev)
		}
	}
}
