package score

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Causes says why a test is missed, by test.
type Causes map[string]string

// sometimes begins the cause of a test that is missed in some runs only: such
// a cause may stay while the test is found.
const sometimes = "sometimes: "

// ReadCauses reads a table of causes: one `TestName: cause` a line; empty lines
// and lines that begin with # are for the reader. file is its name in errors.
func ReadCauses(file string, r io.Reader) (Causes, error) {
	causes := make(Causes)
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		test, cause, ok := strings.Cut(line, ":")
		test, cause = strings.TrimSpace(test), strings.TrimSpace(cause)
		switch {
		case !ok || cause == "":
			return nil, fmt.Errorf("%s:%d: want `TestName: cause`, got %q", file, n, line)
		case WantOf(test) == Nothing:
			return nil, fmt.Errorf("%s:%d: %s begins with neither TestRace nor TestNoRace", file, n, test)
		case causes[test] != "":
			return nil, fmt.Errorf("%s:%d: %s is listed twice", file, n, test)
		}
		causes[test] = cause
	}
	return causes, s.Err()
}
