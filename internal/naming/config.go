package naming

import (
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/engine"
)

// EngineConfig reads the engine's options, "window=N,states=N", as report.EnvOpts has them; it
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
		case "window":
			cfg.Window = n
		case "states":
			cfg.SearchStates = n
		}
	}
	return cfg
}
