package deps

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	ruleDefined = regexp.MustCompile(`(?m)^\s*//\s*(?:- )?\(([A-Z]{1,3}\d[^)]*)\)\s`)     // a comment line that begins with one or several
	ruleName    = regexp.MustCompile(`([A-Z]{1,3})(\d{1,2})(?: to [A-Z]*(\d{1,2}))?`)     // with the last one of several
	ruleCited   = regexp.MustCompile(`\b([a-z][a-z0-9]+)/([A-Z]{1,3}\d{1,2})\b`)          // of another package: wcp/W6
	ruleOfOwn   = regexp.MustCompile(`(?m)//.*?\(([A-Z]{1,3}\d{1,2})(?: to [A-Z]\d+)?\)`) // of the package itself
)

// rulesIn lists the rules that a file defines.
func rulesIn(text string) (rules []string) {
	for _, line := range ruleDefined.FindAllStringSubmatch(text, -1) {
		for _, m := range ruleName.FindAllStringSubmatch(line[1], -1) {
			first, _ := strconv.Atoi(m[2])
			last := first
			if m[3] != "" {
				last, _ = strconv.Atoi(m[3])
			}
			for n := first; n <= last; n++ {
				rules = append(rules, m[1]+strconv.Itoa(n))
			}
		}
	}
	return rules
}

// TestRulesThatAreCited checks that each rule that a comment or a page cites is defined: a comment
// line of a package begins with the rule in parentheses, which is also how the package's own
// comments cite it. All else cites it with the package, as in wcp/W6.
func TestRulesThatAreCited(t *testing.T) {
	files := map[string]string{}
	defined := map[string][]string{} // by the last element of the package's path
	require.NoError(t, filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() != ".." && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" && filepath.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		files[name] = string(text)
		if path.Ext(name) == ".go" {
			pkg := path.Base(path.Dir(name))
			defined[pkg] = append(defined[pkg], rulesIn(string(text))...)
		}
		return nil
	}))
	cited := 0
	for name, text := range files {
		for _, m := range ruleCited.FindAllStringSubmatch(text, -1) {
			if rules, ok := defined[m[1]]; ok {
				cited++
				require.True(t, slices.Contains(rules, m[2]), "%s cites %s", name, m[0])
			}
		}
		if path.Ext(name) != ".go" {
			continue
		}
		for _, m := range ruleOfOwn.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(defined[path.Base(path.Dir(name))], m[1]) {
				t.Errorf("%s cites (%s), which its package does not define: cite another package's as package/%[2]s", name, m[1])
			}
		}
	}
	require.Greater(t, cited, 10)
}
