package trace

import "errors"

// Answer is what a Source found where it looked for the next event.
type Answer uint8

// The answers of a Source.
const (
	Ended     Answer = iota // all events were given out, and the trace says that there are no more
	Next                    // an event
	Settled                 // no event: the recording engine settled here what was waiting (engine.Flush)
	Truncated               // the trace breaks off after the events that were given out; they are all good
	Open                    // no event: the next ones are a stretch of a run with open goals, see Stretch
)

// Source gives out a trace event by event. An error means that the trace is not what it should be, and where; the
// events given out before are good.
type Source interface {
	Next(ev *Event) (Answer, error)
}

// ErrOpen is the error of who wants one trace of a Source that has stretches.
var ErrOpen = errors.New("it has stretches of a run with goals that are not settled, which only 'racepred analyze' reads")

// ReadAll is everything a Source has left.
func ReadAll(s Source) (events []Event, last Answer, err error) {
	var ev Event
	for {
		switch last, err = s.Next(&ev); {
		case err != nil || last == Ended || last == Truncated:
			return events, last, err
		case last == Open:
			return events, last, ErrOpen
		case last == Next:
			events = append(events, ev)
		}
	}
}
