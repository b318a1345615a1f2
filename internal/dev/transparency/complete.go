package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/internal/dev/fake"
)

var logLine = regexp.MustCompile(`@(read|write) (\d+)(?::\d+)?(?: .*?)? of (\w+) in (\S+)`)

// crashed is the runtime's message when it ends a program: accesses after it would be missing, so
// they are not compared.
var crashed = regexp.MustCompile(`(?m)^(fatal error|panic): .*`)

// at is one kind of access to one class of addresses at one line.
type at struct {
	file  string
	line  int
	kind  string // read or write
	class string // as type fakeClass of package fake names them
}

// completeness is the result of one comparison with the compiler.
type completeness struct {
	Seen    int            // lines, kinds and classes the compiler sees
	Have    int            // those the rewriter records
	Lacking map[string]int // those it lacks, by reason
	Unknown []string       // those without a reason: "file:line: kind: source"
}

// completeLimit is how long the tests may run, each time.
const completeLimit = 9 * time.Minute

// completeTries is how often rewritten code may run: a line that a test comes to only now and then,
// or only on a quiet machine, may need some.
const completeTries = 3

// comparison runs the tests of patterns rewritten and instrumented by the compiler as for -race,
// and looks for lines of the rewritten files at which only the compiler sees an access.
func comparison(dir, tmp, filter, skip string, patterns []string, res *instrument.Result, stderr io.Writer) (*completeness, error) {
	known := map[string]bool{}
	for name := range res.Files {
		known[name] = true
	}
	log := func(sub string, files map[string][]byte, flags ...string) (map[at]bool, error) {
		over := filepath.Join(tmp, sub)
		if err := os.MkdirAll(over, 0o755); err != nil {
			return nil, err
		}
		overlay, err := fake.Overlay(over, files, fake.Once)
		if err != nil {
			return nil, err
		}
		args := append([]string{"test", "-v", "-count=1", "-short", "-vet=off", "-parallel=1", "-timeout=" + completeLimit.String(), "-overlay=" + overlay, "-run=" + filter, "-skip=" + skip}, flags...)
		cmd := exec.Command("go", append(args, patterns...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOWORK=off")
		cmd.Stderr = stderr
		out, _ := cmd.Output() // failing tests do not matter
		if crash := crashed.Find(out); crash != nil {
			return nil, fmt.Errorf("the tests broke off: %s", crash)
		}
		set := map[at]bool{}
		sc := bufio.NewScanner(bytes.NewReader(out))
		sc.Buffer(nil, 1<<26)
		for sc.Scan() {
			for _, m := range logLine.FindAllStringSubmatch(sc.Text(), -1) {
				n, err := strconv.Atoi(m[2])
				if err == nil && known[m[4]] {
					set[at{m[4], n, m[1], m[3]}] = true
				}
			}
		}
		return set, sc.Err()
	}
	compiled := func() (map[at]bool, error) { return log("compiled", nil, "-gcflags=-race -l") }
	want, err := compiled()
	if err != nil {
		return nil, err
	}
	if len(want) == 0 {
		return nil, fmt.Errorf("the compiler saw no access: no test ran, or the build failed")
	}
	have := map[at]bool{}
	ex, err := newExplainer(dir, patterns, res, have)
	if err != nil {
		return nil, err
	}
	var c *completeness
	for try := 0; try < completeTries && (c == nil || len(c.Unknown) > 0); try++ {
		more, err := log("rewritten", res.Files)
		if err != nil {
			return nil, err
		}
		maps.Copy(have, more)
		c = ex.compare(want, nil)
	}
	if len(c.Unknown) > 0 {
		again, err := compiled()
		if err != nil {
			return nil, err
		}
		c = ex.compare(want, again)
	}
	return c, nil
}

// compare finds the reasons for accesses that are not recorded. If a second run, where there was
// one, does not see an access, tests come to its line by chance.
func (ex *explainer) compare(want, again map[at]bool) *completeness {
	c := &completeness{Seen: len(want), Lacking: map[string]int{}}
	var unknown []at
	for a := range want {
		if ex.have[a] {
			c.Have++
		} else if why := ex.explain(a); why != "" {
			c.Lacking[why]++
		} else if again != nil && !again[a] {
			c.Lacking["by chance"]++
		} else {
			unknown = append(unknown, a)
		}
	}
	sort.Slice(unknown, func(i, j int) bool {
		a, b := unknown[i], unknown[j]
		if a.file != b.file {
			return a.file < b.file
		}
		if a.line != b.line {
			return a.line < b.line
		}
		return a.kind+a.class < b.kind+b.class
	})
	for _, a := range unknown {
		c.Unknown = append(c.Unknown, fmt.Sprintf("%s:%d: %s of %s: %s", filepath.Base(a.file), a.line, a.kind, a.class, strings.TrimSpace(ex.source(a))))
	}
	return c
}

func (c *completeness) print(w io.Writer) int {
	for _, line := range c.Unknown {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "the compiler sees %d, the rewriter records %d of them; explained %v; %d unknown\n", c.Seen, c.Have, c.Lacking, len(c.Unknown))
	if len(c.Unknown) > 0 {
		return 1
	}
	return 0
}
