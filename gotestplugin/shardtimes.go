package gotestplugin

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/racepred/racepred/internal/report/format"
)

// shardTimes are the seconds that packages took in an earlier run, by the files of -shard-times:
// reports in JSON, or what `go test -json` printed.
func (j *job) shardTimes() (map[string]float64, error) {
	seconds := map[string]float64{}
	for _, name := range j.args.shardTimes {
		data, err := os.ReadFile(inDir(j.dir, name))
		if err != nil {
			return nil, inputf("-shard-times: %w", err)
		}
		if !addEventTimes(seconds, data) {
			r, err := format.Decode(data)
			if err != nil {
				return nil, inputf("-shard-times: %s %w", name, err)
			}
			for _, p := range r.Packages {
				seconds[p.Package] += p.Stats.Seconds
			}
		}
	}
	return seconds, nil
}

// addEventTimes reads events of test2json, and reports whether the data has such.
func addEventTimes(seconds map[string]float64, data []byte) bool {
	some := false
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e struct {
			Action, Package, Test string
			Elapsed               float64
		}
		if json.Unmarshal(line, &e) != nil || e.Action == "" {
			return false
		}
		some = true
		if e.Test == "" && (e.Action == "pass" || e.Action == "fail") {
			seconds[e.Package] += e.Elapsed
		}
	}
	return some
}
