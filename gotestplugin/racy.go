package gotestplugin

import (
	"context"
	"fmt"

	"github.com/racepred/racepred/internal/goal"
	"github.com/racepred/racepred/internal/offline"
	"github.com/racepred/racepred/internal/predictors"
	"github.com/racepred/racepred/internal/report/format"
)

// racyFile is what -racy says of a file.
type racyFile struct {
	File   string          `json:"file"`
	Events uint64          `json:"events"`
	Racy   []*offline.Racy `json:"racy"`
}

// count counts racing accesses, for -racy.
func (a *analysis) count(ctx context.Context) error {
	names := []string(a.engines)
	if names == nil {
		names = predictors.Default()
	}
	names = predictors.Of(goal.Race, names)
	all := []racyFile{}
	bad := false
	for _, name := range a.files {
		counted, err := a.countFile(ctx, name, names)
		if ctx.Err() != nil {
			return cancelled(ctx, ctx.Err())
		}
		if err != nil {
			fmt.Fprintf(a.err, "racepred: %v\n", err)
			bad = true
			continue
		}
		all = append(all, counted)
		if a.json {
			continue
		}
		fmt.Fprintf(a.out, "%s: %d events\n%s\n", name, counted.Events, offline.RacyHeader)
		for _, row := range counted.Racy {
			fmt.Fprintf(a.out, "%s\n", row)
		}
	}
	if a.json {
		data, err := format.Indented(all)
		if err == nil {
			_, err = a.out.Write(data)
		}
		if err != nil {
			return err
		}
	}
	if bad {
		return exitError(exitFailed)
	}
	return nil
}

func (a *analysis) countFile(ctx context.Context, name string, names []string) (racyFile, error) {
	f, err := a.open(name)
	if err != nil {
		return racyFile{}, err
	}
	defer f.Close()
	line := statusLine{call: a.call}
	defer line.clear()
	cfg := offline.Config{Memory: int(a.memory), Complete: a.complete, Progress: line.progress, Stop: ctx.Err}
	rows, events, err := cfg.Racy(f, names)
	return racyFile{name, events, rows}, err
}
