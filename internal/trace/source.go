package trace

import "errors"

// Answer is what a Source found where it looked for the next event.
type Answer uint8

// The answers of a Source.
const (
	Ended         Answer = iota // all events were given out, and the trace says that there are no more
	Next                        // an event
	Flushed                     // no event: the recording engine decided here about what was waiting (engine.Flush)
	Truncated                   // the trace breaks off after the events that were given out; they are all good
	DeferredGoals               // no event: the next ones are a part of a run with goals whose search was deferred, see Deferred
)

// Source gives out a trace event by event. An error means that the trace is not what it should be, and where; the
// events given out before are good.
type Source interface {
	Next(ev *Event) (Answer, error)
}

// ErrDeferred says that one trace was wanted of a Source that has deferred searches.
var ErrDeferred = errors.New("it has parts of a run whose search for schedules was deferred, which only 'racepred analyze' reads")

// ReadAll is everything a Source has left.
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
