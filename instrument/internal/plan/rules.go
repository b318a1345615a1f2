package plan

import "github.com/racepred/racepred/instrument/internal/edit"

// Rule names the rule of doc.go by which an edit was made.
type Rule = edit.Rule

// The rules. doc.go explains each by its number.
const (
	RuleRead     Rule = "R1 read"
	RuleLate     Rule = "R2 late read"
	RulePromoted Rule = "R3 promoted"
	RuleWrapper  Rule = "R5 wrapper"
	RuleWrite    Rule = "W1 write"
	RuleAfter    Rule = "W2 write after"
	RuleHoist    Rule = "W3 hoist"
	RuleTuple    Rule = "W4 tuple"
	RuleResult   Rule = "W5 result"
	RuleInTurn   Rule = "W6 in turn"
	RuleRange    Rule = "N1 range"
	RuleBuiltin  Rule = "B1 builtin"
	RuleOpaque   Rule = "O1 opaque"
	RuleDiscard  Rule = "D1 discard"
	RuleAtomic   Rule = "D3 atomic"
	RuleHeader   Rule = "H1 header"
	RulePost     Rule = "H3 post"
	RuleLoop     Rule = "C3 loop"
	RuleOnce     Rule = "C4 once"
	RuleOrder    Rule = "P1 order"
	RuleTrial    Rule = "P2 trial"
	RuleUnit     Rule = "U1 unit"
	RuleArray    Rule = "G2 array"

	RuleOneRecord Rule = "G1 one record"
)

// Reason says why an access is not recorded.
type Reason string

// The reasons.
const (
	WhyLateOperand   Reason = "a later call in the expression may move it, and it cannot be evaluated twice"
	WhyMultiline     Reason = "its address is spread over several lines"
	WhyHeader        Reason = "assigned in a statement header, where nothing can be put before or after it"
	WhyUntyped       Reason = "assigned from an untyped expression whose type cannot be spelled here"
	WhyHiddenField   Reason = "reached through an embedded field this package may not name, where nothing can be put"
	WhyShadowed      Reason = "its name is shadowed here"
	WhyTypeParam     Reason = "its type is a type parameter without one core type"
	WhyNoSplit       Reason = "its function may not call (go:nosplit, go:norace or go:systemstack)"
	WhyRangeElement  Reason = "the ranged-over slice cannot be named in the loop"
	WhyPanicOrder    Reason = "recording it would change which of several panics comes first"
	WhyStrayMark     Reason = "it belongs into the comment right before a function that has a body"
	WhyUnknownWord   Reason = "racepred knows the comments //racepred:atomic, //racepred:guardedby and //racepred:ignore"
	WhyAppendOverlap Reason = "append whose first argument cannot be evaluated twice"

	WhyWrapperGeneric  Reason = "read by the compiler's wrapper of a method of a generic type, of a type in a function or of one without a name"
	WhyWrapperSpelling Reason = "read by the compiler's wrapper of a method whose type cannot be spelled here"
	WhyWrapperTest     Reason = "read by the compiler's wrapper of a method that a test file declares for a type of another file"
	WhyWrapperMany     Reason = "read by the compiler's wrapper of one of very many methods, which no interface at hand has"
	WhyWrapperParam    Reason = "read by the compiler's wrapper of a method that is called through a type parameter"
)
