package gotestplugin

import (
	"fmt"
	"strings"
)

const space = " \t\n\r"

// splitQuoted splits a list of words at white space, as the go command does
// for GOFLAGS and -gcflags: a word may be put in single or double quotes as a
// whole; nothing is unescaped within.
func splitQuoted(s string) ([]string, error) {
	var words []string
	for s = strings.TrimLeft(s, space); s != ""; s = strings.TrimLeft(s, space) {
		if q := s[0]; q == '"' || q == '\'' {
			end := strings.IndexByte(s[1:], q)
			if end < 0 {
				return nil, fmt.Errorf("unterminated %c string", q)
			}
			words = append(words, s[1:1+end])
			s = s[end+2:]
			continue
		}
		end := strings.IndexAny(s, space)
		if end < 0 {
			end = len(s)
		}
		words = append(words, s[:end])
		s = s[end:]
	}
	return words, nil
}

// joinQuoted is the inverse of splitQuoted.
func joinQuoted(words []string) (string, error) {
	out := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, space) && w[0] != '"' && w[0] != '\'':
			out[i] = w
		case !strings.Contains(w, "'"):
			out[i] = "'" + w + "'"
		case !strings.Contains(w, `"`):
			out[i] = `"` + w + `"`
		default:
			return "", fmt.Errorf("argument %q holds both kinds of quotes", w)
		}
	}
	return strings.Join(out, " "), nil
}
