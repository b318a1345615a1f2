package gotestplugin

import (
	"strings"

	"github.com/racepred/racepred/internal/predictors"
)

// engines is the value of -engines, which racepred test and racepred analyze have: names of predictors, nil for those that run when nothing is said.
type engines []string

// enginesHelp is the flag's help, but for what runs by default.
func enginesHelp() string {
	return "Run the predictors in this `list`, of " + strings.Join(predictors.Names(), ",") + ". " + predictors.Table[0].Name +
		" always runs, since what it finds is what the run itself shows."
}

func (e *engines) String() string { return strings.Join(*e, ",") }

// Set implements flag.Value.
func (e *engines) Set(value string) error {
	list, err := predictors.Parse(value)
	*e = list
	return err
}
