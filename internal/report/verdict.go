package report

// Fails reports whether a finding of this verdict fails its test.
func (v Verdict) Fails() bool { return v != Possible && v != Reachable && v != Static }

// rank orders the verdicts, surest first.
func (v Verdict) rank() int {
	switch v {
	case Confirmed:
		return 0
	case Observed:
		return 1
	case Predicted:
		return 2
	case Possible:
		return 3
	}
	return 4
}

// Surer reports whether v is a surer verdict than w.
func (v Verdict) Surer(w Verdict) bool { return v.rank() < w.rank() }
