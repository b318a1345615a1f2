package format

import (
	"os"
	"path/filepath"
	"strings"
)

// How many lines are shown around a line that a finding points to.
const (
	aroundAccess = 3
	aroundStep   = 6
)

// maxSourceFile is how large a file may be to be read, in bytes.
const maxSourceFile = 4 << 20

// sources reads the files that findings point to, and keeps the lines that are needed. A line has
// no source if the file cannot be read, or is shorter by now.
type sources struct {
	root  string // of relative files; "" reads none of them
	files map[string][]string
	lines map[string]map[int]string // what is needed
}

func newSources(root string) *sources {
	return &sources{root: root, files: map[string][]string{}, lines: map[string]map[int]string{}}
}

// sourceLine is a line of a snippet.
type sourceLine struct {
	N    int
	Text string
	Hit  bool
}

func (s *sources) file(name string) []string {
	list, ok := s.files[name]
	if ok {
		return list
	}
	if at := s.place(name); at != "" {
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && info.Size() <= maxSourceFile {
			if data, err := os.ReadFile(at); err == nil {
				list = strings.Split(strings.Map(visible, strings.ToValidUTF8(string(data), "\uFFFD")), "\n")
			}
		}
	}
	s.files[name] = list
	return list
}

// visible replaces characters that would change the order of others on the page: with them, source
// could look like what it is not.
func visible(c rune) rune {
	if '\u202a' <= c && c <= '\u202e' || '\u2066' <= c && c <= '\u2069' {
		return '\uFFFD'
	}
	return c
}

// place is the path of a file of the report, "" if it is not known.
func (s *sources) place(name string) string {
	at := filepath.FromSlash(name)
	switch {
	case filepath.Ext(name) != ".go":
		return ""
	case filepath.IsAbs(at):
		return at
	case s.root == "":
		return ""
	}
	return filepath.Join(s.root, at)
}

// snippet is the line with so many lines before and after it, empty if the line is not known.
func (s *sources) snippet(file string, line, around int) (list []sourceLine) {
	all := s.file(file)
	if line < 1 || line > len(all) {
		return nil
	}
	for n := max(1, line-around); n <= min(len(all), line+around); n++ {
		list = append(list, sourceLine{n, strings.TrimRight(all[n-1], "\r"), n == line})
	}
	return list
}

// need adds the lines around one of a step to those that the page has.
func (s *sources) need(file string, line int) {
	for _, l := range s.snippet(file, line, aroundStep) {
		if s.lines[file] == nil {
			s.lines[file] = map[int]string{}
		}
		s.lines[file][l.N] = l.Text
	}
}
