package classify

import "github.com/racepred/racepred/internal/trace"

// answers remembers a yes or no for each stack. Stacks are numbered from 1 in the order in which they came up, and this is asked for every
// section of every lock, in a runtime where a look into a map costs a hook besides.
type answers []uint8

const (
	unasked = iota
	no
	yes
)

// maxAnswers bounds the memory that a stack with a strange number takes.
const maxAnswers = 1 << 24

// of is the answer for a stack, which ask gives when it was not remembered.
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
