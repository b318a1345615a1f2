package gotestplugin

import (
	"fmt"
	"os"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// inputError is about a file of the user's that is not what it should be. The exit code is that of
// wrong usage.
type inputError struct{ err error }

func (e inputError) Error() string { return e.err.Error() }
func (e inputError) Unwrap() error { return e.err }

func inputf(format string, a ...any) error { return inputError{fmt.Errorf(format, a...)} }

// readReport reads a report in JSON, named as on the command line.
func (c *call) readReport(name string) (*report.Report, error) {
	data, err := os.ReadFile(inDir(c.dir, name))
	if err != nil {
		return nil, inputError{err}
	}
	r, err := format.Decode(data)
	if err != nil {
		return nil, inputf("%s %w", name, err)
	}
	return r, nil
}

// readReports reads several. Those with findings are of one version of fingerprints, by which they
// are compared.
func (c *call) readReports(names []string) (all []*report.Report, err error) {
	first := -1
	for i, name := range names {
		r, err := c.readReport(name)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
		switch {
		case len(r.Findings) == 0:
		case first < 0:
			first = i
		case r.Fingerprints != all[first].Fingerprints:
			return nil, inputf("%s has fingerprints of version %d, and %s of version %d: findings of one cannot be found in the other", name, r.Fingerprints, names[first], all[first].Fingerprints)
		}
	}
	return all, nil
}
