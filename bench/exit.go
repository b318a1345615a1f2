package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// exitModes are the modes that a package whose test passes at once is run in.
var exitModes = []mode{
	{"plain", buildPlain, nil},
	{"-race", buildRace, []string{"GORACE="}},
	{"-race, GORACE=atexit_sleep_ms=0", buildRace, []string{"GORACE=atexit_sleep_ms=0"}},
	{"racepred", buildRacepred, []string{"RACEPRED_OPTS="}},
}

// runExit measures how long a test binary takes that has nothing to do.
func (c *config) runExit(ctx context.Context, racepred, tmp string, stdout io.Writer) error {
	dir, err := benchDir(ctx, "stress")
	if err != nil {
		return err
	}
	binaries, err := c.build(ctx, dir, "atonce", racepred, tmp)
	if err != nil {
		return err
	}
	samples := make([]Samples, len(exitModes))
	for range c.n {
		for i, m := range exitModes {
			u, err := use(ctx, filepath.Join(dir, "atonce"), append(m.env, "RACEPRED_DIR="+tmp), binaries[m.build])
			if err != nil {
				return err
			}
			samples[i] = append(samples[i], u)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "A test binary whose test passes at once, median of %d interleaved runs.\n\n| | wall | CPU | memory |\n| --- | ---: | ---: | ---: |\n", c.n)
	for i, m := range exitModes {
		u := samples[i].median()
		fmt.Fprintf(&b, "| %s | %.1f ms | %.1f ms | %d MB |\n", m.Name, ms(u.Wall), ms(u.CPU), u.Memory>>20)
	}
	return c.print(stdout, b.String())
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
