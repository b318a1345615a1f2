package gotestplugin

import (
	"fmt"
	"os"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// inputError is about a file that somebody handed in and that is not what it should be. The exit code is that of wrong usage.
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

// readReports reads several.
func (c *call) readReports(names []string) (all []*report.Report, err error) {
	for _, name := range names {
		r, err := c.readReport(name)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
