package predict

// Rule is how often one of a predictor's rules ordered what nothing had ordered before.
type Rule struct {
	Name  string
	Fired uint64
}

// Counter is a Predictor that counts its rules.
type Counter interface {
	Rules() []Rule
}
