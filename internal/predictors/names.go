package predictors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/goal"
)

// Names are those of all predictors, in the order of the table.
func Names() (list []string) {
	for i := range Table {
		list = append(list, Table[i].Name)
	}
	return list
}

// Default are the names of those that run when nothing else is said.
func Default() (list []string) {
	for i := range Table {
		if Table[i].Online {
			list = append(list, Table[i].Name)
		}
	}
	return list
}

// Of are those of the names whose predictors propose goals of this kind.
func Of(kind goal.Kind, names []string) (list []string) {
	for _, name := range names {
		if i := place(name); i >= 0 && Table[i].Goal == kind {
			list = append(list, name)
		}
	}
	return list
}

// ByName is the row of that name, or an error that says which names there are.
func ByName(name string) (*Row, error) {
	if i := place(name); i >= 0 {
		return &Table[i], nil
	}
	return nil, fmt.Errorf("there is no predictor %q; they are %s", name, strings.Join(Names(), ", "))
}

// Abstract reports whether all of these predictors are abstract.
func Abstract(names []string) bool {
	for _, name := range names {
		if i := place(name); i < 0 || !Table[i].Abstract {
			return false
		}
	}
	return true
}

// Sort puts names into the order of the table.
func Sort(names []string) {
	slices.SortFunc(names, func(a, b string) int { return place(a) - place(b) })
}

func place(name string) int {
	return slices.IndexFunc(Table, func(r Row) bool { return r.Name == name })
}

// Parse reads names with commas, plus signs or spaces between, each once. No names are nil.
func Parse(text string) (list []string, err error) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", +", r) }) {
		if _, err := ByName(name); err != nil {
			return nil, err
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, nil
}
