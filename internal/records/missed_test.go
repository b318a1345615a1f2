package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

// TestMissedCountsEvents: an access that was left out came at most so many events ago as were given
// out since the first ticket after it. The release waits (N3).
func TestMissedCountsEvents(t *testing.T) {
	for since, want := range []uint32{0, 1, 2} { // by tickets since: none; the release; the acquire, too
		for flags, how := range map[trace.Flags]uint64{0: rpWrite, trace.FlagAtomic: rpWrite | rpMissedAtomic} {
			missedAfter(t, since, want, flags, how)
		}
	}
}

func missedAfter(t *testing.T, since int, want uint32, flags trace.Flags, how uint64) {
	var rec recorder
	var events []trace.Event
	c := converting(&events)
	c.check = nil // the goroutines have no start
	a, b := rec.start(), rec.start()
	rec.step(a, rpLock, lock, 0)
	rec.step(a, rpUnlock, lock, 0)
	rec.step(b, rpWrite, word, 8)
	rec.step(b, rpMissed, uint64(a.id)|how<<48, since)
	rec.publishAll()
	require.True(t, rec.merge(&Merger{Free: func(*Chunk) {}}, c, 0))
	require.Contains(t, events, trace.Event{Kind: trace.MissedWrite, Flags: flags, G: trace.G(b.id), Other: a.id, Size: want, Stack: 1}, "%d tickets", since)
}
