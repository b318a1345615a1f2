package predict

import "slices"

// Key is what makes two candidates one for the reader of a report: the goal, and where its events are and what they do, in any order if the goal has none.
type Key string

// Key is that of the candidate.
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
