package wcp

// NewAge begins an age, as when there is room no more, and forgets what was not used in the last one, or all.
func (p *Predictor) NewAge(all bool) {
	p.latest = nobody
	old := p.began.Share()
	p.begin()
	p.room.Age++
	before := p.room.Age
	if !all {
		before--
	}
	p.forgetOld(before, old)
	p.pool.Drop(old)
}
