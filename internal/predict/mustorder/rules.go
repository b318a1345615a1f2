package mustorder

import "github.com/racepred/racepred/internal/predict"

// rule is one that is counted when it orders something that was not ordered.
type rule uint8

const (
	ruleFork rule = iota
	ruleJoin
	ruleHard
	ruleReadsFrom
	ruleHardSection
	ruleHandOver
	ruleTryFail
	rulePin
	ruleOpaque
	ruleInTurn
	rules
)

var ruleNames = [rules]string{
	ruleFork: "fork", ruleJoin: "join", ruleHard: "hard edge", ruleReadsFrom: "reads-from", ruleHardSection: "hard section",
	ruleHandOver: "hand-over", ruleTryFail: "failed attempt", rulePin: "observed change", ruleOpaque: "opaque call", ruleInTurn: "lock order",
}

// Rules is how often each rule ordered something for the predictor of that name, leaving out those
// that never did.
func (p *Order) Rules(by string) []predict.Rule {
	var list []predict.Rule
	for r, n := range p.fired {
		if n > 0 {
			list = append(list, predict.Rule{By: by, Name: ruleNames[r], Fired: n})
		}
	}
	return list
}
