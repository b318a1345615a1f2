// Package format writes a whole report: report.Report -> the bytes of a file.
//
// Each format has a file of its own and a row in the table. The command finds
// it by the suffix of the file's name.
package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// Format is one way to write a report.
type Format struct {
	Suffix string // of a file's name, with the dot
	Encode func(*report.Report) ([]byte, error)
	Tests  bool // it has the tests, too
}

// JSON is the format for programs: the public schema.
var JSON = Format{Suffix: ".json", Encode: encodeJSON}

// Markdown is the format for the summary of a CI job.
var Markdown = Format{Suffix: ".md", Encode: encodeMarkdown}

var formats = []Format{
	JSON,
	{Suffix: ".txt", Encode: encodeText},
	{Suffix: ".sarif", Encode: encodeSARIF},
	{Suffix: ".xml", Encode: encodeJUnit, Tests: true},
	Markdown,
	{Suffix: ".html", Encode: encodeHTML},
}

// ForFile is the format of a file with this name.
func ForFile(name string) (Format, error) {
	suffix := filepath.Ext(name)
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Suffix == suffix })
	if i < 0 {
		return Format{}, fmt.Errorf("unknown format %q; the formats are %s", suffix, Suffixes())
	}
	return formats[i], nil
}

// Suffixes lists what the names of files may end in, as in ".json, .txt".
func Suffixes() string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Suffix)
	}
	return strings.Join(all, ", ")
}
