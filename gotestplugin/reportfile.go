package gotestplugin

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// reportFile is where -report has the report written to, and how; the zero value is nowhere.
type reportFile struct {
	name   string
	format format.Format
}

// newReportFile is the file of -report, relative to dir. It is an error if it could not be written when the tests are over.
func newReportFile(dir, name string) (reportFile, error) {
	if name == "" {
		return reportFile{}, nil
	}
	f, err := format.ForFile(name)
	if err != nil {
		return reportFile{}, usagef("-report %s: %v", name, err)
	}
	name = inDir(dir, name)
	probe, err := os.CreateTemp(filepath.Dir(name), ".racepred-*")
	if err != nil {
		return reportFile{}, fmt.Errorf("-report: %w", err)
	}
	probe.Close()
	return reportFile{name, f}, os.Remove(probe.Name())
}

func (f reportFile) write(r *report.Report) error {
	if f.name == "" {
		return nil
	}
	data, err := f.format.Encode(r)
	if err == nil {
		err = writeAtomically(f.name, data)
	}
	if err != nil {
		return fmt.Errorf("-report: %w", err)
	}
	return nil
}
