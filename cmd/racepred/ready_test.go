package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The ready files for CI systems are run here as those would do it, step by step, on a small
// module, but for steps of others' actions.

// workflow is what is known of the files of GitHub and GitLab.
type (
	workflow struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Using string
			Steps []step
		}
		Jobs map[string]struct{ Steps []step }
	}
	step struct {
		ID, Name, Uses, Run, Shell, If string
		Dir                            string `yaml:"working-directory"`
		Env, With                      map[string]string
	}
	gitlabJob struct {
		Before []string `yaml:"before_script"`
		Script []string
	}
)

// site is where the steps are run: a module in a repository, and a machine to install racepred on.
type site struct {
	t        *testing.T
	checkout string            // of racepred
	repo     string            // of the module
	temp     string            // of the machine
	env      map[string]string // for all steps
}

// onlyLong skips a test that -long asks for, as each takes half a minute.
func onlyLong(t *testing.T) {
	if !*long {
		t.Skip("needs -long")
	}
}

// newSite makes a module with a race that its baseline knows. Racepred is installed from the
// checkout, wherever a step would fetch it from.
func newSite(t *testing.T) *site {
	if testing.Short() {
		t.Skip("builds a toolchain")
	}
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	goPath, err := exec.LookPath("go")
	require.NoError(t, err)
	s := &site{t: t, checkout: filepath.Join(here, "..", ".."), temp: t.TempDir(), env: map[string]string{}}
	s.repo = filepath.Join(s.temp, "module")
	bin := filepath.Join(s.temp, "bin")
	require.NoError(t, os.MkdirAll(bin, 0o777))
	stub := fmt.Sprintf("#!/bin/sh\nif [ \"$1 $2\" = 'install github.com/racepred/racepred/cmd/racepred@latest' ]; then exec '%s' install -C '%s' ./cmd/racepred; fi\nexec '%[1]s' \"$@\"\n", goPath, s.checkout)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(stub), 0o777))
	for _, kv := range os.Environ() {
		if name, value, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "GIT") && !strings.HasPrefix(name, "RACEPRED") {
			s.env[name] = value
		}
	}
	home, err := os.UserCacheDir()
	require.NoError(t, err)
	s.fixed("RACEPRED_CACHE", filepath.Join(home, "racepred"))
	if v := os.Getenv("RACEPRED_CACHE"); v != "" {
		s.fixed("RACEPRED_CACHE", v)
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		s.fixed(name, strings.TrimSpace(string(out)))
	}
	s.fixed("GOBIN", bin)
	s.fixed("PATH", bin+":"+s.env["PATH"])
	s.fixed("GOFLAGS", "-buildvcs=false")
	s.fixed("TMPDIR", s.temp)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		s.fixed("GIT_"+who+"_NAME", "x")
		s.fixed("GIT_"+who+"_EMAIL", "x@example.com")
	}
	s.fixed("GIT_CONFIG_GLOBAL", filepath.Join(s.temp, "gitconfig"))
	require.NoError(t, os.WriteFile(filepath.Join(s.temp, "gitconfig"), []byte("[init]\n\tdefaultBranch = main\n"), 0o666))
	s.put("go.mod", "module ex.com/m\n\ngo 1.25\n")
	s.put("a/a_test.go", racyTest("a", "TestKnown"))
	s.put("b/b_test.go", "package b\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n")
	s.ok("go install github.com/racepred/racepred/cmd/racepred@latest")
	s.ok("git init -q . && racepred test -baseline races.json -baseline-update ./... && git add -A && git commit -q -m one")
	return s
}

// fixed sets a variable that no step changes.
func (s *site) fixed(name, value string) { s.env[name] = value }

// racyTest is a file with a test that has a race.
func racyTest(pkg, name string) string {
	return fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc %s(t *testing.T) {\n\tn, done := 0, make(chan bool)\n\tgo func() { n++; done <- true }()\n\tn++\n\t<-done\n}\n", pkg, name)
}

func (s *site) put(name, text string) {
	name = filepath.Join(s.repo, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(s.t, os.WriteFile(name, []byte(text), 0o666))
}

// bash runs a script as GitHub does it, with more variables, and returns its exit status and its
// output.
func (s *site) bash(script, dir string, env map[string]string, args ...string) (int, string) {
	cmd := exec.Command("bash", append([]string{"--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script, "bash"}, args...)...)
	cmd.Dir = filepath.Join(s.repo, dir)
	all := maps.Clone(s.env)
	for name, value := range env {
		if _, machine := s.env[name]; !machine || name == "PATH" {
			all[name] = value
		}
	}
	cmd.Env = []string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		cmd.Env = append(cmd.Env, name+"="+all[name])
	}
	out, err := cmd.CombinedOutput()
	if _, isExit := err.(*exec.ExitError); err != nil && !isExit {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (s *site) ok(script string) {
	s.t.Helper()
	status, out := s.bash(script, "", nil)
	require.Zero(s.t, status, out)
}

func readYAML(t *testing.T, name string, into any) {
	data, err := os.ReadFile(filepath.Join(here, "..", "..", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, into))
}

var expression = regexp.MustCompile(`\$\{\{ *([^}]*?) *\}\}`)

// action runs the steps of the composite action, and returns the exit status of the first that
// fails and what the steps put out.
func (s *site) action(inputs map[string]string) (status int, outputs map[string]string, log string) {
	var w workflow
	readYAML(s.t, ".github/actions/test/action.yml", &w)
	require.Equal(s.t, "composite", w.Runs.Using)
	values := map[string]string{"runner.temp": s.temp, "runner.os": "Linux", "github.sha": "abc"}
	for name, in := range w.Inputs {
		values["inputs."+name] = in.Default
	}
	for name, value := range inputs {
		require.Contains(s.t, w.Inputs, name)
		values["inputs."+name] = value
	}
	eval := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(e string) string {
			value, known := values[expression.FindStringSubmatch(e)[1]]
			require.True(s.t, known, "%s is not known", e)
			return value
		})
	}
	outputs = map[string]string{}
	for _, st := range w.Runs.Steps {
		require.True(s.t, (st.Run == "") != (st.Uses == ""), st.Name)
		if st.Run == "" || status != 0 {
			continue
		}
		require.Equal(s.t, "bash", st.Shell, "a composite action has to say so")
		require.NotContains(s.t, st.Run, "${{", "inputs in a script would be run as commands")
		env := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": filepath.Join(s.checkout, ".github/actions/test"), "RUNNER_TEMP": s.temp}
		for _, name := range []string{"GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
			env[name] = filepath.Join(s.temp, name)
			require.NoError(s.t, os.WriteFile(env[name], nil, 0o666))
		}
		if path := values["PATH"]; path != "" {
			env["PATH"] = path
		}
		for name, value := range st.Env {
			env[name] = eval(value)
		}
		var out string
		status, out = s.bash(st.Run, eval(st.Dir), env)
		log += out
		added, err := os.ReadFile(env["GITHUB_PATH"])
		require.NoError(s.t, err)
		for line := range strings.Lines(string(added)) {
			values["PATH"] = strings.TrimSpace(line) + ":" + s.env["PATH"]
		}
		put, err := os.ReadFile(env["GITHUB_OUTPUT"])
		require.NoError(s.t, err)
		for line := range strings.Lines(string(put)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			outputs[name] = value
		}
	}
	return status, outputs, log
}

func TestGitHubAction(t *testing.T) {
	s := newSite(t)
	status, outputs, log := s.action(map[string]string{"baseline": "races.json"})
	require.Zero(t, status, log)
	require.Equal(t, "0", outputs["status"])
	for _, name := range []string{"races.json", "races.sarif", "races.xml"} {
		require.FileExists(t, filepath.Join(outputs["reports"], name))
	}
	require.Equal(t, filepath.Join(outputs["reports"], "races.sarif"), outputs["sarif"])

	s.put("b/new_test.go", racyTest("b", "TestNew"))
	status, outputs, log = s.action(map[string]string{"baseline": "races.json"})
	require.Equal(t, 66, status, log)
	require.Equal(t, "66", outputs["status"])
	require.Contains(t, log, "::error file=b/new_test.go,")
	status, _, log = s.action(map[string]string{"packages": "$(touch injected);./a"})
	require.NotZero(t, status, log)
	require.NoFileExists(t, filepath.Join(s.repo, "injected"))
}

// TestGitHubActionInputs: the inputs that TestGitHubAction does not give.
func TestGitHubActionInputs(t *testing.T) {
	onlyLong(t)
	s := newSite(t)
	s.put("b/new_test.go", racyTest("b", "TestNew"))
	status, _, log := s.action(map[string]string{"new-from": "HEAD", "packages": "./a ./b", "flags": "-run TestKnown -v"})
	require.Zero(t, status, log)
	require.Contains(t, log, "This fails nothing: -new-from HEAD")
	status, _, log = s.action(map[string]string{"baseline": "races.json", "shard": "1/2"})
	require.Zero(t, status, log)
	require.Contains(t, log, "shard 1/2: 1 of 2 packages")
	status, _, log = s.action(map[string]string{"baseline": "nowhere.json"})
	require.Equal(t, 2, status, log)
}

// TestGitHubWorkflows: the workflows use the action as it is, and the steps of their own run.
func TestGitHubWorkflows(t *testing.T) {
	var action workflow
	readYAML(t, ".github/actions/test/action.yml", &action)
	for _, name := range []string{"docs/ci/github.yml", "docs/ci/github-shards.yml"} {
		var w workflow
		readYAML(t, name, &w)
		uses := 0
		for _, job := range w.Jobs {
			for _, st := range job.Steps {
				if strings.HasPrefix(st.Uses, "racepred/racepred/") {
					uses++
					require.True(t, strings.HasPrefix(st.Uses, "racepred/racepred/.github/actions/test@"), st.Uses)
					for in := range st.With {
						require.Contains(t, action.Inputs, in)
					}
				}
			}
		}
		require.Equal(t, 1, uses, name)
	}
	onlyLong(t)
	s := newSite(t)
	s.put("b/new_test.go", racyTest("b", "TestNew"))
	for i := range 2 {
		_, outputs, _ := s.action(map[string]string{"baseline": "races.json", "shard": fmt.Sprintf("%d/2", i+1)})
		s.ok(fmt.Sprintf("mkdir -p reports/racepred-%d && cp '%s'/* reports/racepred-%[1]d", i+1, outputs["reports"]))
	}
	var shards workflow
	readYAML(t, "docs/ci/github-shards.yml", &shards)
	var statuses []int
	for _, st := range shards.Jobs["merge"].Steps {
		if st.Run != "" {
			status, out := s.bash(st.Run, "", map[string]string{"GITHUB_PATH": filepath.Join(s.temp, "path")})
			statuses = append(statuses, status)
			t.Log(out)
		}
	}
	require.Equal(t, []int{0, 66}, statuses)
	s.ok("grep -q TestNew races.md && ! grep -q TestKnown races.md")
}

func TestGitLab(t *testing.T) {
	onlyLong(t)
	s := newSite(t)
	s.put("b/new_test.go", racyTest("b", "TestNew"))
	var all map[string]gitlabJob
	readYAML(t, "docs/ci/gitlab-ci.yml", &all)
	job := func(name string, index int) int {
		script := strings.Join(slices.Concat(all[name].Before, all[name].Script), "\n")
		status, out := s.bash(script, "", map[string]string{"CI_NODE_INDEX": fmt.Sprint(index), "CI_NODE_TOTAL": "2", "CI_PROJECT_DIR": s.repo})
		t.Log(out)
		return status
	}
	require.Equal(t, []int{0, 66}, []int{job("racepred", 1), job("racepred", 2)})
	require.FileExists(t, filepath.Join(s.repo, "races1.xml"))
	require.Equal(t, 66, job("racepred-report", 0))
	s.ok("grep -q TestNew report.md")
}

func TestPreCommit(t *testing.T) {
	onlyLong(t)
	s := newSite(t)
	var c struct {
		Repos []struct {
			Hooks []struct{ Entry, Exclude string }
		}
	}
	readYAML(t, "docs/ci/pre-commit-config.yaml", &c)
	hook := c.Repos[0].Hooks[0]
	require.False(t, regexp.MustCompile(hook.Exclude).MatchString("a/a_test.go"))
	require.True(t, regexp.MustCompile(hook.Exclude).MatchString("a/testdata/x.go"))
	run := func(files ...string) (int, string) { return s.bash(hook.Entry+` "$@"`, "", nil, files...) }
	s.ok("echo '// A comment.' >> a/a_test.go")
	status, out := run("a/a_test.go", "b/b_test.go")
	require.Zero(t, status, out)
	s.put("b/new_test.go", racyTest("b", "TestNew"))
	s.put("main_test.go", racyTest("m", "TestRoot"))
	status, out = run("b/new_test.go", "b/b_test.go")
	require.NotZero(t, status, out)
	require.Contains(t, out, "--- FAIL: TestNew")
	require.NotContains(t, out, "TestRoot")
	status, out = run("main_test.go")
	require.NotZero(t, status, out)
	require.Contains(t, out, "--- FAIL: TestRoot")
}

// TestReadmeFromCloneToGate runs the commands that README has for a new user, with a repository on
// this machine in the place of the user's.
func TestReadmeFromCloneToGate(t *testing.T) {
	onlyLong(t)
	if runtime.GOOS != "linux" {
		t.Skip("needs a script in the place of curl")
	}
	readme, err := os.ReadFile(filepath.Join(here, "..", "..", "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "\n## From a clone to a gate in CI\n")
	require.True(t, found)
	var commands []string
	for line := range strings.Lines(rest) {
		if command, ok := strings.CutPrefix(line, "    "); ok {
			commands = append(commands, strings.TrimSpace(command))
		} else if len(commands) > 0 && strings.TrimSpace(line) != "" {
			break
		}
	}
	require.NotEmpty(t, commands)
	require.LessOrEqual(t, len(commands), 5)
	s := newSite(t)
	s.ok("git rm -q --cached races.json && rm races.json && git commit -q --amend -m one && git clone -q --bare . ../you.git")
	config := fmt.Sprintf("[init]\n\tdefaultBranch = main\n[url \"%s/you.git\"]\n\tinsteadOf = https://github.com/you/module\n", s.temp)
	require.NoError(t, os.WriteFile(filepath.Join(s.temp, "gitconfig"), []byte(config), 0o666))
	curl := fmt.Sprintf("#!/bin/bash\nset -e\n[ \"$1\" = -fsSLo ]\ncp '%s'/\"${3#https://raw.githubusercontent.com/racepred/racepred/main/}\" \"$2\"\n", s.checkout)
	require.NoError(t, os.WriteFile(filepath.Join(s.temp, "bin", "curl"), []byte(curl), 0o777))
	status, out := s.bash("mkdir ../user && cd ../user\n"+strings.Join(commands, "\n"), "", nil)
	require.Zero(t, status, out)

	var w workflow
	text, err := os.ReadFile(filepath.Join(s.temp, "user", "module", ".github", "workflows", "racepred.yml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &w))
	s.ok("git clone -q ../you.git ../ci")
	s.repo = filepath.Join(s.temp, "ci")
	inputs := w.Jobs["racepred"].Steps[2].With
	status, _, log := s.action(inputs)
	require.Zero(t, status, log)
	s.put("b/new_test.go", racyTest("b", "TestNew"))
	status, _, log = s.action(inputs)
	require.Equal(t, 66, status, log)
}
