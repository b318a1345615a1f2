package gotestplugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// gitHub shows the findings of a job of GitHub Actions beside the lines that they name, and in the
// summary of the job. With silent, as with -json, it writes the summary only. A summary that cannot
// be written fails nothing.
func (c *call) gitHub(r *report.Report, silent bool) {
	if getenv(c.env, "GITHUB_ACTIONS") != "true" {
		return
	}
	if !silent {
		fmt.Fprintf(c.err, "%s", format.Annotations(r))
	}
	name := getenv(c.env, "GITHUB_STEP_SUMMARY")
	if name == "" || len(r.Findings) == 0 {
		return
	}
	page, err := format.Markdown.Encode(r)
	if err == nil {
		err = appendFile(name, page)
	}
	if err != nil && !silent {
		fmt.Fprintf(c.err, "racepred: GITHUB_STEP_SUMMARY: %v\n", err)
	}
}

// appendFile appends to a file, to which other steps of the job write, too.
func appendFile(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// inSameRepository is the directory dir of the repository around at; at if there is none.
func inSameRepository(at, dir string) string {
	at, err := filepath.Abs(at)
	if err != nil {
		return ""
	}
	below := filepath.FromSlash(inRepository(at))
	return filepath.Join(strings.TrimSuffix(at, below), filepath.FromSlash(dir))
}

// inRepository is dir relative to the root of its repository, slash-separated; "" if dir is the
// root, or no repository is known.
func inRepository(dir string) string {
	for at, below := dir, ""; filepath.IsAbs(at) && at != below; at, below = filepath.Dir(at), at {
		for _, mark := range []string{".git", ".hg", ".jj"} {
			if _, err := os.Stat(filepath.Join(at, mark)); err != nil {
				continue
			}
			if rel, err := filepath.Rel(at, dir); err == nil && rel != "." {
				return filepath.ToSlash(rel)
			}
			return ""
		}
	}
	return ""
}
