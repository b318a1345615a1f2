package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/goal"
)

func TestEveryKindHasARule(t *testing.T) {
	for _, k := range goal.Kinds() {
		require.NotNil(t, goals[k], "%v", k)
	}
}
