package gotestplugin

import (
	"errors"
	"io/fs"
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

// newReportFiles are the files of -report, relative to dir. A file that cannot be written is an
// error now, and not after the tests.
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
	path := inDir(dir, name)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return reportFile{}, inputf("-report %s: it is a directory", name)
	}
	if err := writable(filepath.Dir(path)); err != nil {
		return reportFile{}, inputf("-report %s: %w", name, err)
	}
	return reportFile{path, f}, nil
}

// clear takes older reports away: a run that is killed leaves none.
func (files reportFiles) clear() error {
	for _, f := range files {
		var err error
		switch info, statErr := os.Lstat(f.name); {
		case statErr != nil:
		case info.Mode().IsRegular():
			err = os.Remove(f.name)
		case info.Mode()&fs.ModeSymlink != 0:
			if info, statErr := os.Stat(f.name); statErr == nil && info.Mode().IsRegular() {
				err = os.Truncate(f.name, 0) // the link stays
			}
		}
		if err != nil {
			return inputf("-report: %w", err)
		}
	}
	return nil
}

// write writes all of them, also if one fails.
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
		return inputf("-report %s: %w", f.name, reason(err))
	}
	return nil
}
