package trace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnseen: operations of a kind are unseen, until one of another kind comes. (N1)
func TestUnseen(t *testing.T) {
	const no, yes = 0, FlagUnseen
	type step struct {
		op   Operation
		word Addr
		want Flags
	}
	for name, steps := range map[string][]step{
		"additions":                   {{Addition, 8, yes}, {Addition, 8, yes}},
		"bits from the beginning":     {{OrBits, 8, yes}, {OrBits, 8, yes}},
		"then another kind":           {{Addition, 8, yes}, {OrBits, 8, no}, {OrBits, 8, yes}, {Addition, 8, no}, {Addition, 8, yes}},
		"and another one":             {{AndBits, 8, yes}, {OrBits, 8, no}, {XorBits, 8, no}, {Multiplication, 8, no}, {Multiplication, 8, yes}},
		"of another word":             {{Addition, 8, yes}, {OrBits, 16, yes}, {Addition, 8, yes}, {OrBits, 16, yes}},
		"none":                        {{0, 8, no}, {OrBits, 8, yes}, {0, 8, no}, {OrBits, 8, yes}},
		"bits, additions, bits again": {{OrBits, 8, yes}, {Addition, 8, no}, {OrBits, 8, no}},
	} {
		t.Run(name, func(t *testing.T) {
			var u Unseen
			for i, s := range steps {
				require.Equal(t, s.want, u.Flag(s.op, s.word), "step %d", i)
			}
		})
	}
}
