package protocol

import "strings"

// maxTypos is how many letters a name may differ by from the one that is suggested for it.
const maxTypos = 2

// suggestion is Suggestion for options.
func suggestion(name string) string {
	var names []string
	for _, x := range options {
		names = append(names, x.name)
	}
	return Suggestion(name, "options", names)
}

// Suggestion ends an error about an unknown name: it has the nearest of the known names, and all of
// them. Plural is what such names are called.
func Suggestion(name, plural string, names []string) string {
	best, nearest := maxTypos+1, ""
	for _, n := range names {
		if d := distance(strings.ToLower(name), n); d < best {
			best, nearest = d, n
		}
	}
	text := "; the " + plural + " are " + strings.Join(names, ", ")
	if nearest != "" {
		text = ", did you mean " + nearest + "?" + text[1:]
	}
	return text
}

// distance is how many letters are to be inserted, deleted or replaced to make b of a
// (Levenshtein's distance).
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the beginnings of b to one of a
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
