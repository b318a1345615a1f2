package atomicity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

// TestWaits is (T6).
func TestWaits(t *testing.T) {
	const lock, other, cond = 0xc000000100, 0xc000000200, 0xc000000300
	for name, c := range map[string]struct {
		between []trace.Event
		waits   bool
	}{
		"it waits":                           {[]trace.Event{{Kind: trace.HardAcquire, Addr: cond}}, true},
		"it does not":                        {nil, false},
		"it wakes others, too":               {[]trace.Event{{Kind: trace.HardAcquire, Addr: cond}, {Kind: trace.HardMerge, Addr: cond}}, false},
		"it takes another lock":              {[]trace.Event{{Kind: trace.HardAcquire, Addr: cond}, {Kind: trace.Acquire, Addr: other}}, false},
		"a finalizer comes after all it did": {[]trace.Event{{Kind: trace.HardMerge, Addr: 1}, {Kind: trace.HardAcquire, Addr: cond}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var w wait
			ended := false
			events := append([]trace.Event{{Kind: trace.Release, Addr: lock}}, c.between...)
			for _, ev := range append(events, trace.Event{Kind: trace.Acquire, Addr: lock}) {
				ended = w.ends(&ev, ev.Kind.Spec())
			}
			require.Equal(t, c.waits, ended)
		})
	}
}
