package gotestplugin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/seam"
)

// An overlay is not enough where the go command reads an original, or must read one. Then it runs
// its tools by -toolexec through this program:
//
//	racepred tool PLAN TOOL [arguments]
//
// The cover tool is given what covertool.go says, the compiler what embed.go says; all others run
// as they are. The user's own -toolexec runs each tool, those two as well.

// toolWord is the word after which this program runs a tool. It is not for users, and not in the
// help.
const toolWord = "tool"

// toolPlan is what the tools need to know.
type toolPlan struct {
	Version   string            // of this program, under coverage
	Toolexec  []string          // the user's
	Templates map[string]string // covered file -> its template
	Seam      map[string]seam.File
	Embedded  map[string]string // file of the overlay -> what is embedded in its place
}

// planTools writes the plan into the work directory and returns the -toolexec with it.
func (j *job) planTools(plan toolPlan) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if plan.Toolexec, err = splitQuoted(j.args.toolexec); err != nil {
		return "", usagef("invalid value for flag -toolexec: %v", err)
	}
	if j.args.covering() { // the cover tool's version has ours in it (V3)
		if plan.Version, err = hashOf(self); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(plan)
	if err != nil {
		return "", err
	}
	name := filepath.Join(j.work, "tools.json")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return "", err
	}
	words, err := joinQuoted([]string{self, toolWord, name})
	if err != nil {
		return "", fmt.Errorf("-toolexec: %w", err)
	}
	return words, nil
}

// hashOf is the hash of a file's content.
func hashOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// tool runs one of go's tools for the go command.
func (c *call) tool(args []string) int {
	if len(args) < 2 {
		return c.report("", usagef("racepred %s is run by the go command", toolWord))
	}
	plan, err := readToolPlan(args[0])
	if err != nil {
		return c.report("", err)
	}
	t := toolCall{c, plan, args[1:]}
	what := strings.TrimSuffix(filepath.Base(args[1]), ".exe")
	switch asked := slices.Equal(t.tool[1:], []string{"-V=full"}); {
	case what == "cover" && asked:
		err = t.version()
	case what == "cover":
		err = t.join()
	case what == "compile" && !asked:
		err = t.compile()
	default:
		err = t.run()
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return max(exit.ExitCode(), exitFailed)
	case err != nil:
		fmt.Fprintf(c.err, "racepred: %s: %v\n", what, err)
		return exitFailed
	}
	return exitClean
}

func readToolPlan(name string) (*toolPlan, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	plan := &toolPlan{}
	return plan, json.Unmarshal(data, plan)
}

// toolCall is one call of a tool.
type toolCall struct {
	*call
	plan *toolPlan
	tool []string // its path and arguments
}

// run runs the tool in the place of this process.
func (t *toolCall) run() error { return replaceProcess(t.words(t.tool...), t.call) }

// words is the command line of a tool.
func (t *toolCall) words(tool ...string) []string {
	return append(slices.Clone(t.plan.Toolexec), tool...)
}

func (t *toolCall) command(words []string, stdout io.Writer) *exec.Cmd {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = t.dir, t.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.in, stdout, t.err
	return cmd
}
