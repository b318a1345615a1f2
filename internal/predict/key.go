package predict

import "slices"

// Key is the same for candidates that are one finding for the reader of a report: they have the
// same goal, and events at the same positions with the same operations. The order of the events
// matters only if the goal's schedules execute some of them.
type Key string

// Key is the candidate's key.
func (c *Candidate) Key() Key {
	at := make([]position, len(c.Events))
	for i := range c.Events {
		at[i] = positionOf(&c.Events[i].Ev)
	}
	if c.Goal.Spec().Executed == 0 {
		slices.Sort(at)
	}
	k := make([]byte, 0, 1+8*len(at))
	k = append(k, byte(c.Goal))
	for _, p := range at {
		for shift := 0; shift < 64; shift += 8 {
			k = append(k, byte(p>>shift))
		}
	}
	return Key(k)
}
