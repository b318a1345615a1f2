package witness

// trial remembers how a closed set was before events were added on trial, so that they can be taken
// back.
type trial struct {
	touched int // how many goroutines were touched
	need    []was[int32]
	reached []was[reach]
	ended   []was[ending]
	chained []int32 // releases that were not chained
}

// was is the value that a key had.
type was[K any] struct {
	of K
	n  int
}

// try begins a trial. The set must be closed, and without (P9), which a trial does not take back.
func (p *closure) try() { p.trial = &trial{touched: len(p.touched)} }

// keep ends the trial. The set keeps what was added.
func (p *closure) keep() { p.trial = nil }

// takeBack ends the trial and restores the set.
func (p *closure) takeBack() {
	t := p.trial
	p.trial, p.why, p.work = nil, "", p.work[:0]
	for k := len(t.need) - 1; k >= 0; k-- {
		g := t.need[k].of
		p.need[g] = int32(t.need[k].n)
		p.seen[g] = p.need[g]
	}
	p.touched = p.touched[:t.touched]
	for k := len(t.reached) - 1; k >= 0; k-- {
		p.reached[t.reached[k].of] = t.reached[k].n
	}
	for k := len(t.ended) - 1; k >= 0; k-- {
		p.ended[t.ended[k].of] = t.ended[k].n
	}
	for _, i := range t.chained {
		delete(p.chained, i)
	}
}
