package gotestplugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/internal/config"
	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// configOff is the value of -config for no file at all.
const configOff = "off"

// packagesKey is the one setting that is no flag: what is tested when the command line names no
// package.
const packagesKey = "packages"

// configKeys are what the file may have: the flags of racepred that are about a project and not
// about a run.
func configKeys() []config.Key {
	keys := []config.Key{{Name: packagesKey, List: true}}
	for _, f := range flagTable {
		if f.config != notInConfig {
			keys = append(keys, config.Key{Name: f.name, List: f.config == listInConfig || f.config == filesInConfig || f.config == wordsInConfig, Bool: f.boolean})
		}
	}
	return keys
}

// inConfig is what a flag is in the file.
type inConfig uint8

const (
	notInConfig   inConfig = iota
	valueInConfig          // one value
	fileInConfig           // the name of a file
	listInConfig           // a pattern of packages or several
	filesInConfig          // a name of a file or several
	wordsInConfig          // a value or several, which the flag has with commas between
)

// applyConfig takes settings from the file, for flags that are not on the command line:
//
// (C1) a flag of the command line replaces the setting, lists included;
// (C2) RACEPRED_OPTS goes before the file, too;
// (C3) names of files, and patterns that begin with "." are relative to the directory of the file;
// (C4) packages counts where the command is run in that directory, and names none: elsewhere it is
// the package there, as with go test.
func (j *job) applyConfig() error {
	name := j.args.config
	switch name {
	case configOff:
		return nil
	case "":
		if name = config.Find(j.dir); name == "" {
			return nil
		}
	default:
		name = inDir(j.dir, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return inputf("-config: %w", err)
	}
	shown, dir := report.Rel(j.dir, name), filepath.Dir(name)
	settings, err := config.Parse(shown, data, configKeys())
	if err != nil {
		return inputError{err}
	}
	inEnv := map[string]bool{}
	for o := range strings.SplitSeq(getenv(j.env, protocol.EnvOpts), ",") {
		name, _, _ := strings.Cut(o, "=")
		inEnv[name] = true
	}
	inEnv["random-schedule"] = inEnv["schedule"] // the one option that is named otherwise than its flag
	given := j.args.given
	j.args.given = nil
	for _, s := range settings {
		if given[s.Key] || inEnv[s.Key] { // (C1), (C2)
			continue
		}
		if err := j.setting(s, dir); err != nil {
			var usage usageError
			if errors.As(err, &usage) { // it speaks of a flag
				err = errors.New(strings.Replace(usage.text, "flag -", "", 1))
			}
			return inputf("%s:%d: %w", shown, s.Line, err)
		}
	}
	return nil
}

func (j *job) setting(s config.Setting, dir string) error {
	if s.Key == packagesKey {
		if len(j.args.packages) == 0 && filepath.Clean(j.dir) == dir { // (C4)
			return j.args.namePackages(s.Values)
		}
		return nil
	}
	spec, _ := lookupFlag(s.Key)
	values := s.Values
	if spec.config == wordsInConfig {
		values = []string{strings.Join(values, ",")}
	}
	for _, v := range values {
		switch { // (C3)
		case spec.config == fileInConfig || spec.config == filesInConfig:
			v = inDir(dir, v)
		case isLocal(v) && spec.config == listInConfig:
			v = filepath.Join(dir, v)
		}
		if err := j.args.flag(spec, v, nil); err != nil {
			return err
		}
	}
	return nil
}

// namePackages names the packages to test, as if the command line, which names none, began with
// them.
func (a *args) namePackages(patterns []string) error {
	for _, p := range patterns {
		if p == "" || strings.HasPrefix(p, "-") {
			return fmt.Errorf("%q is no pattern of packages", p)
		}
	}
	var words []argument
	for _, p := range patterns {
		words = append(words, argument{p, true})
	}
	a.rest, a.packages = append(words, a.rest...), patterns
	return nil
}
