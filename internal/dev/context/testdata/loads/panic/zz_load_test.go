// Package load has a test that panics after the others.
package load

import "testing"

func TestNoRaceLoadPanic(t *testing.T) {
	var none map[string]int
	none["key"] = 1
}
