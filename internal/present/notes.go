package present

import (
	"strconv"

	"github.com/racepred/racepred/internal/engine"
)

// Forgotten is what the report says when the engine forgot something for want of room; "" when it did not.
func Forgotten(s engine.Stats) string {
	if s.Evicted == 0 {
		return ""
	}
	return "the engine forgot something " + strconv.FormatUint(s.Evicted, 10) + " times to keep to its memory: races may be missing, or left without a schedule (-memory gives it more)"
}

// Sampled is what the report says when accesses at n positions were left out at times; "" when none was.
func Sampled(n int) string {
	if n == 0 {
		return ""
	}
	return "accesses at " + strconv.Itoa(n) + " busy positions were not recorded each time, to keep the cost down: races between them may be missing (-sample=off records all)"
}
