package load

import (
	"testing"
	"time"
)

func TestRaceLoadAcrossEnds(t *testing.T) {
	loadAcross = 1
	time.Sleep(20 * time.Millisecond)
}
