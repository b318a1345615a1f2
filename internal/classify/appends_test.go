package classify

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/symbol"
)

func TestAppends(t *testing.T) {
	for _, c := range []struct {
		want  bool
		stack []string
	}{
		{true, []string{"sync.(*Mutex).Lock", "log.(*Logger).output", "log.(*Logger).Print", "m.f"}},
		{false, []string{"sync.(*Mutex).Lock", "log.(*Logger).SetOutput", "m.f"}},
		{false, []string{"sync.(*Mutex).Lock", "m.(*lines).Write", "log.(*Logger).output", "m.f"}},
		{false, []string{"sync.(*Mutex).Lock", "ex.com/log.(*Logger).output", "m.f"}},
		{true, []string{"sync.(*RWMutex).Lock", "testing.(*common).destination", "testing.(*common).log", "testing.(*common).Log", "m.f"}},
		{true, []string{"sync.(*RWMutex).Lock", "testing.(*outputWriter).Write", "testing.(*common).log", "m.f"}},
		{true, []string{"sync.(*Mutex).Lock", "testing.(*chattyPrinter).Printf", "testing.(*outputWriter).writeLine", "testing.(*outputWriter).Write", "testing.(*common).log", "m.f"}},
		{true, []string{"sync.(*RWMutex).Lock", "testing.(*outputWriter).Write", "m.f"}},
		{true, []string{"sync.(*RWMutex).Lock", "testing.(*outputWriter).Write", "log.(*Logger).output", "m.f"}},
		{true, []string{"sync.(*RWMutex).Lock", "testing.(*common).destination", "testing.(*common).Output", "m.f"}},
		{false, []string{"sync.(*RWMutex).Lock", "testing.(*common).destination", "m.f"}},
		{false, []string{"sync.(*Mutex).Lock", "testing.(*chattyPrinter).Printf", "log.(*Logger).output", "m.f"}},
		{false, []string{"sync.(*RWMutex).Lock", "testing.(*common).Later", "testing.(*common).log", "m.f"}},
		{false, []string{"sync.(*RWMutex).Lock", "testing.(*common).Fail", "testing.(*common).Errorf", "m.f"}},
		{false, []string{"sync.(*Mutex).Lock", "m.(*T).String", "fmt.Sprintln", "testing.(*common).log"}},
		{false, []string{"sync.(*Mutex).Lock"}},
		{false, nil},
	} {
		var frames []symbol.Frame
		for _, fn := range c.stack {
			frames = append(frames, symbol.Frame{Func: fn})
		}
		require.Equal(t, c.want, appends(slices.Values(frames)), "%v", c.stack)
	}
}
