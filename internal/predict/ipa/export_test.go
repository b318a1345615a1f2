package ipa

// Unbounded lets questions cost what they like, and has parts begin so many events before the first
// access, or else at the beginning of the log.
func (p *Online) Unbounded(near uint64) {
	p.first = 1 << 62
	p.slacks = [2]uint64{near, maxLog}
}

// Without is how many questions had no answer.
func (p *Online) Without() uint64 { return p.answers[Unknown] + p.putOff }
