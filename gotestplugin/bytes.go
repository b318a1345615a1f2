package gotestplugin

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/engine"
)

const memoryHelp = "Keep the engine, one for each test process, to about this `size` of memory: a number of bytes, or one with KiB, MiB or GiB, 16MiB at least. " +
	"What it forgets for that is counted and reported."

// byteCount is a flag's value, a size such as 512MiB.
type byteCount int

var byteUnits = []struct {
	suffix string
	bytes  int
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"", 1}}

// Set implements flag.Value.
func (b *byteCount) Set(s string) error {
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || n < 0 || n > math.MaxInt/u.bytes:
			return errors.New("it is a size such as 512MiB")
		case n*u.bytes < engine.MinMemory:
			return errors.New("it is at least 16MiB")
		}
		*b = byteCount(n * u.bytes)
		return nil
	}
	return nil
}

// String implements flag.Value.
func (b *byteCount) String() string { return "" }
