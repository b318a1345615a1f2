package gotestplugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// hunk is a piece of a file that changed.
type hunk struct {
	first, count int      // its lines now; with count 0, what was removed was behind the line first
	removed      []string // the lines that it had before
}

// parseDiff reads the output of git diff -U0: the hunks of each file that still exists, by its name
// in the repository.
//
//	+++ b/NAME                 in quotes if it has unusual characters
//	@@ -1,2 +3,4 @@            a count of 1 is left out
//	-removed
//	+added
func parseDiff(diff []byte) (map[string][]hunk, error) {
	files := map[string][]hunk{}
	name, removed, added := "", 0, 0
	n := 0
	for line := range strings.Lines(string(diff)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case removed > 0 && strings.HasPrefix(line, "-"):
			removed--
			if h := files[name]; len(h) > 0 {
				h[len(h)-1].removed = append(h[len(h)-1].removed, line[1:])
			}
		case added > 0 && strings.HasPrefix(line, "+"):
			added--
		case strings.HasPrefix(line, "+++ "):
			name = newName(line[len("+++ "):])
		case strings.HasPrefix(line, "@@ "):
			m := hunkHeader.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("line %d of git's diff is no hunk: %q", n, line)
			}
			h := hunk{first: numberOr(m[2], 0), count: numberOr(m[3], 1)}
			removed, added = numberOr(m[1], 1), h.count
			if name != "" {
				files[name] = append(files[name], h)
			}
		}
	}
	return files, nil
}

var hunkHeader = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

func numberOr(digits string, otherwise int) int {
	if n, err := strconv.Atoi(digits); err == nil {
		return n
	}
	return otherwise
}

// newName is the file's name after "+++ ", "" if the file is no more.
func newName(s string) string {
	s = strings.TrimSuffix(s, "\t") // git ends names that have spaces with one
	if unquoted, err := strconv.Unquote(s); err == nil {
		s = unquoted
	}
	name, _ := strings.CutPrefix(s, "b/")
	if name == "/dev/null" {
		return ""
	}
	return name
}

// git runs git in the job's directory.
func (j *job) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = j.dir, j.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		first, _, _ := strings.Cut(text, "\n")
		err = errors.New("git: " + first)
	}
	return out, err
}

// changes are the hunks of all files that differ from a revision, by absolute name. rev with "..."
// behind it is the revision at which HEAD branched off from it. Files that git does not know are
// new.
func (j *job) changes(ctx context.Context, rev string) (map[string][]hunk, error) {
	rev, fromBase := strings.CutSuffix(rev, "...")
	top, err := j.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSuffix(string(top), "\n")
	if _, err := j.git(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options", rev+"^{commit}"); err != nil {
		return nil, fmt.Errorf("git knows no revision %q here; in a shallow clone it has to be fetched", rev)
	}
	if fromBase {
		base, err := j.git(ctx, "merge-base", rev, "HEAD")
		if err != nil {
			return nil, fmt.Errorf("%q and HEAD have no common revision here; in a shallow clone it has to be fetched", rev)
		}
		rev = strings.TrimSpace(string(base))
	}
	diff, err := j.git(ctx, "-c", "core.quotePath=false", "diff", "-U0", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules",
		"--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", rev, "--")
	if err != nil {
		return nil, err
	}
	inRepository, err := parseDiff(diff)
	if err != nil {
		return nil, err
	}
	untracked, err := j.git(ctx, "-C", root, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(untracked), "\x00") {
		if name != "" {
			inRepository[name] = []hunk{{first: 1, count: endOfFile}}
		}
	}
	files := map[string][]hunk{}
	for name, hunks := range inRepository {
		files[filepath.Join(root, filepath.FromSlash(name))] = hunks
	}
	return files, nil
}

// endOfFile is more lines than a file has.
const endOfFile = 1 << 30
