package gotestplugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// reportFile is where a -report has the report written to, and how.
type reportFile struct {
	name   string
	format format.Format
}

// reportFiles are those of all -report flags.
type reportFiles []reportFile

// newReportFiles are the files of -report, relative to dir. It is an error if one could not be written when the tests are over.
func newReportFiles(dir string, names []string) (reportFiles, error) {
	var files reportFiles
	for _, name := range names {
		f, err := newReportFile(dir, name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func newReportFile(dir, name string) (reportFile, error) {
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

// write writes all of them, whatever becomes of one.
func (files reportFiles) write(r *report.Report) error {
	var all []error
	for _, f := range files {
		all = append(all, f.write(r))
	}
	return errors.Join(all...)
}

func (f reportFile) write(r *report.Report) error {
	data, err := f.format.Encode(r)
	if err == nil {
		err = writeAtomically(f.name, data)
	}
	if err != nil {
		return fmt.Errorf("-report: %w", err)
	}
	return nil
}
