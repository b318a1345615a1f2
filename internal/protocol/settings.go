package protocol

import (
	"fmt"
	"strings"
)

// The environment a test process is run with.
const (
	EnvDir      = "RACEPRED_DIR"
	EnvState    = "RACEPRED_STATE"
	EnvPossible = "RACEPRED_POSSIBLE"
	EnvSeen     = "RACEPRED_SEEN"
	EnvRoot     = "RACEPRED_ROOT"
	EnvTrace    = "RACEPRED_TRACE"
	EnvOpts     = "RACEPRED_OPTS"
	EnvWaived   = "RACEPRED_WAIVED"
	EnvSilent   = "RACEPRED_SILENT"
	EnvGOROOT   = "RACEPRED_GOROOT"
)

// Settings are what the command tells a test process.
type Settings struct {
	// Dir is the run's directory. Without it a test binary only prints.
	Dir string
	// State is the directory for the State of each process. Without it there is none.
	State string
	// Trace is the directory for trace files. Without it none are written.
	Trace string
	// Root is the module's root: files beneath it are printed relative to it.
	Root string
	// Waived is the file with the rules of what fails nothing (package waive). Without it everything fails that can.
	Waived string
	// Possible says that possible findings are printed, too.
	Possible bool
	// Silent says that the command prints findings, and not the process: those that are in its file.
	Silent bool
	// GOROOT is the user's, if the process was built with a copy of it, whose files then go by the names of the user's.
	GOROOT Copied
	// Seen says that packages that print are recorded, or none is rewritten: then everything that
	// went through them keeps its order.
	Seen bool

	Options Options
}

// Copied is a directory and where a copy of it is. The zero value is none.
type Copied struct{ Original, Copy string }

// Name is the name that the user knows a file by.
func (c Copied) Name(file string) string {
	if rest, ok := strings.CutPrefix(file, c.Copy); ok && c.Copy != "" && rest != "" && (rest[0] == '/' || rest[0] == '\\') {
		return c.Original + rest
	}
	return file
}

// ReadSettings reads the environment of a test process.
func ReadSettings(getenv func(string) string) (Settings, error) {
	options, err := ParseOptions(getenv(EnvOpts))
	if err != nil {
		return Settings{}, fmt.Errorf("%s: %w", EnvOpts, err)
	}
	return Settings{
		Dir: getenv(EnvDir), State: getenv(EnvState), Trace: getenv(EnvTrace), Root: getenv(EnvRoot), Waived: getenv(EnvWaived),
		Possible: getenv(EnvPossible) == "1", Seen: getenv(EnvSeen) == "1", Silent: getenv(EnvSilent) == "1",
		GOROOT:  readCopied(getenv(EnvGOROOT)),
		Options: options,
	}, nil
}

// Environ is the environment that ReadSettings reads as s. A setting that says nothing is not in
// it.
func (s *Settings) Environ() (env []string) {
	set := func(name, value string) {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	on := map[bool]string{true: "1"}
	set(EnvDir, s.Dir)
	set(EnvState, s.State)
	set(EnvTrace, s.Trace)
	set(EnvRoot, s.Root)
	set(EnvWaived, s.Waived)
	set(EnvPossible, on[s.Possible])
	set(EnvSeen, on[s.Seen])
	set(EnvSilent, on[s.Silent])
	if s.GOROOT.Copy != "" {
		set(EnvGOROOT, s.GOROOT.Copy+"\t"+s.GOROOT.Original)
	}
	set(EnvOpts, s.Options.String())
	return env
}

func readCopied(value string) (c Copied) {
	c.Copy, c.Original, _ = strings.Cut(value, "\t")
	return c
}
