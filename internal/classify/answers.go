package classify

import "github.com/racepred/racepred/internal/trace"

// answers remembers a yes or no for each stack. It is asked for every section of every lock, and in
// this runtime a look into a map also calls a hook; so it is a list: stacks are numbered from 1 in
// the order in which they came up.
type answers []uint8

const (
	unasked = iota
	no
	yes
)

// maxAnswers bounds the memory that a stack with a very large number takes.
const maxAnswers = 1 << 24

// of is the answer for a stack. It calls ask if there is none yet.
func (a *answers) of(id trace.Stack, ask func() bool) bool {
	if int(id) < len(*a) && (*a)[id] != unasked {
		return (*a)[id] == yes
	}
	v := ask()
	if id < maxAnswers {
		if n := int(id) + 1 - len(*a); n > 0 {
			*a = append(*a, make([]uint8, n)...)
		}
		(*a)[id] = no
		if v {
			(*a)[id] = yes
		}
	}
	return v
}
