// Package config reads the file with a project's settings: .racepred.yaml -> settings, each with
// its line.
//
// The file is a mapping, whose keys the caller knows. A value is a word, a number, true or false,
// or for some keys a list of words. Whatever else YAML has is an error, and so is a key that is
// unknown or there twice: a setting that is not taken must not look as if it were.
package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/racepred/racepred/internal/protocol"
)

// Name is what the file is called.
const Name = ".racepred.yaml"

// Key is a setting that there is.
type Key struct {
	Name string
	List bool // it may have several values
	Bool bool // it is true or false
}

// Setting is a key with its values.
type Setting struct {
	Key    string
	Values []string // one, unless the key is a list
	Line   int
}

// Parse reads a file. The errors begin with its name, as given, and a line.
func Parse(name string, data []byte, keys []Key) ([]Setting, error) {
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntaxError(name, err)
	}
	if err := d.Decode(&more); err == nil {
		return nil, fmt.Errorf("%s:%d: there is a second document", name, more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(name, err)
	}
	p := parser{name, keys}
	return p.settings(doc.Content[0])
}

// syntaxError is what the YAML library says, in our words: "yaml: line 3: did not find expected ','
// or ']'".
func syntaxError(name string, err error) error {
	if m := atLine.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s:%s: %s", name, m[1], m[2])
	}
	return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
}

var atLine = regexp.MustCompile(`(?s)^yaml: line (\d+): (.*)$`)

type parser struct {
	file string
	keys []Key
}

func (p *parser) errorf(n *yaml.Node, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, n.Line, fmt.Sprintf(format, a...))
}

func (p *parser) settings(n *yaml.Node) (list []Setting, err error) {
	if isNull(n) {
		return nil, nil // nothing but comments
	}
	if n.Kind != yaml.MappingNode {
		return nil, p.errorf(n, "it is no list of settings, as in \"fail-on: observed\"")
	}
	line := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		key, err := p.key(name)
		if err != nil {
			return nil, err
		}
		if first := line[key.Name]; first > 0 {
			return nil, p.errorf(name, "%s is there already, in line %d", key.Name, first)
		}
		line[key.Name] = name.Line
		values, err := p.values(key, n.Content[i+1])
		if err != nil {
			return nil, err
		}
		list = append(list, Setting{key.Name, values, name.Line})
	}
	return list, nil
}

func (p *parser) key(n *yaml.Node) (Key, error) {
	var names []string
	for _, k := range p.keys {
		if n.Kind == yaml.ScalarNode && k.Name == n.Value {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Key{}, p.errorf(n, "unknown key %q%s", n.Value, protocol.Suggestion(n.Value, "keys", names))
}

func (p *parser) values(k Key, n *yaml.Node) ([]string, error) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case isNull(n):
		return nil, p.errorf(n, "%s has no value", k.Name)
	case n.Kind == yaml.ScalarNode:
		if k.Bool && n.Tag != "!!bool" {
			return nil, p.errorf(n, "%s is true or false, and not %q", k.Name, n.Value)
		}
		return []string{n.Value}, nil
	case n.Kind == yaml.SequenceNode && k.List:
		values := []string{}
		for _, e := range n.Content {
			for e.Kind == yaml.AliasNode {
				e = e.Alias
			}
			if e.Kind != yaml.ScalarNode || isNull(e) {
				return nil, p.errorf(e, "%s is a list of words", k.Name)
			}
			values = append(values, e.Value)
		}
		return values, nil
	case k.List:
		return nil, p.errorf(n, "%s is a word or a list of words", k.Name)
	}
	return nil, p.errorf(n, "%s has one value", k.Name)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// Find is the file for a command that runs in dir: the one in the root of its module, or in the
// next directory above, up to the root of the repository. It is "" if there is none. A root is
// where there is a go.mod, or a go.work if there is no go.mod; that of a repository, where there is
// a .git, .hg or .jj.
func Find(dir string) string {
	root := above(dir, "go.mod")
	if root == "" {
		root = above(dir, "go.work")
	}
	if root == "" {
		return ""
	}
	repository := root
	for _, mark := range []string{".git", ".hg", ".jj"} {
		if r := above(root, mark); len(r) > 0 && (repository == root || len(r) > len(repository)) {
			repository = r
		}
	}
	for at := root; ; at = filepath.Dir(at) {
		name := filepath.Join(at, Name)
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return name
		}
		if at == repository || at == filepath.Dir(at) {
			return ""
		}
	}
}

// above is dir, or the next directory above it, that has something with this name; "" if there is
// none.
func above(dir, name string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
