package gotestplugin

import (
	"strings"

	"github.com/racepred/racepred/internal/predictors"
)

// engines is the value of -engines of racepred test and racepred analyze: names of predictors, nil
// for the default.
type engines []string

// enginesHelp is the flag's help without the default.
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
