package naming

import (
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/engine"
)

// RecordOnly is the engine's option with which a process records and predicts nothing: what it
// recorded is thrown away. It is there to measure what recording costs.
const RecordOnly = "predict=none"

// FilterOff is the recorder's option with which repeated accesses are recorded, too. The racing
// variables stay the same; it is there to test that.
const FilterOff = "filter=off"

// Sample is how many events a test process may record in full before accesses of busy code are left out, from
// the option "sample=N"; 0, "sample=off", means all there are.
func Sample(opts string) int {
	n := engine.DefaultSample
	for opt := range strings.SplitSeq(opts, ",") {
		if v, ok := strings.CutPrefix(opt, "sample="); ok {
			n, _ = strconv.Atoi(v) // off
		}
	}
	return max(n, 0)
}

// SampleFlip is the option with which the recorder begins and ends leaving out at random, many times a test, for tests of it. It goes with a small Sample.
const SampleFlip = "flip=on"

// Check is the option with which a process checks what it records and what the engine makes of it, event by
// event. It is there to test racepred itself.
const Check = "check=on"

// Drain is how many chunks of records may fill up until a process drains, from the option "drain=N"; 0 if it does not say. There are more drains the
// smaller it is, for tests of what happens around them.
func Drain(opts string) int {
	n := 0
	for opt := range strings.SplitSeq(opts, ",") {
		if v, ok := strings.CutPrefix(opt, "drain="); ok {
			n, _ = strconv.Atoi(v)
		}
	}
	return max(n, 0)
}

// HasOption reports whether opt is one of the options.
func HasOption(opts, opt string) bool {
	return slices.Contains(strings.Split(opts, ","), opt)
}

// EngineConfig reads the engine's options, "memory=BYTES,window=N,states=N", as report.EnvOpts has them; it
// skips what it does not know.
func EngineConfig(opts string) engine.Config {
	var cfg engine.Config
	for opt := range strings.SplitSeq(opts, ",") {
		k, v, _ := strings.Cut(opt, "=")
		n, err := strconv.Atoi(v)
		if err != nil {
			continue
		}
		switch k {
		case "memory":
			cfg.Memory = n
		case "window":
			cfg.Window = n
		case "states":
			cfg.SearchStates = n
		}
	}
	return cfg
}

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
