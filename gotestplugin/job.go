package gotestplugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
)

// job is one `racepred test`.
type job struct {
	*call
	args    *args
	dir     string // where go test runs: -C
	goCmd   goCommand
	guard   *guard
	goEnv   goEnv
	cache   string // racepred's cache directory
	graph   *graph
	vetting *vetting
	work    string // temporary; removed at the end

	options protocol.Options // of the test processes
	report  reportFiles      // -report
	tests   *testLog         // nil: no report lists tests
	waived  waived
	shard   *report.Shard    // -shard
	events  *events          // -json; nil without
	later   []report.Finding // that were made after the tests
	begun   time.Time

	states string // a directory for the State of each process (package protocol); removed, too

	reported bool // the reports are written, or could not be

	// uncovered is what racepred could not look at. details is what it could not
	// see of the rest, for the report only.
	uncovered, details []report.Uncovered
}

// tool names what makes the reports.
func (j *job) tool() report.Tool {
	return report.Tool{Name: "racepred", Version: version(), Go: withoutExperiments(j.goEnv.GOVERSION)}
}

// cancelled is the signal that ended ctx, or err if there was none.
func cancelled(ctx context.Context, err error) error {
	var by killedBy
	if errors.As(context.Cause(ctx), &by) {
		return by
	}
	return err
}

// readOptions reads the options of the test processes: first those of the environment, then the
// flags, which replace them.
func (j *job) readOptions() (err error) {
	if j.options, err = protocol.ParseOptions(getenv(j.env, protocol.EnvOpts)); err != nil {
		return usagef("%s: %v", protocol.EnvOpts, err)
	}
	if j.args.memory > 0 {
		j.options.Memory = int(j.args.memory)
	}
	if j.args.engines != nil {
		j.options.Engines = j.args.engines
	}
	j.options.NoLeaks = j.options.NoLeaks || j.args.leaks == leaksOff
	if random := j.args.randomSchedule; random != nil {
		j.options.UsualSchedule = !*random
	}
	if j.args.sample != protocol.SampleDefault {
		j.options.Sample = j.args.sample
	}
	return nil
}

// findToolchain finds the go command, its settings and racepred's cache.
func (j *job) findToolchain(ctx context.Context) error {
	if info, err := os.Stat(j.dir); err != nil || !info.IsDir() {
		return fmt.Errorf("-C %s: no such directory", j.args.dir)
	}
	path, err := findGo(j.env, j.dir)
	if err != nil {
		return err
	}
	j.guard = startGuard(j.self)
	j.goCmd = goCommand{path: path, dir: j.dir, env: j.guard.marked(j.env), guard: j.guard}
	if j.goEnv, err = j.goCmd.readGoEnv(ctx); err != nil {
		return err
	}
	if err := checkSupported(j.goEnv.GOVERSION); err != nil {
		return err
	}
	if err := j.args.withGOFLAGS(j.goEnv.GOFLAGS); err != nil {
		return err
	}
	load, err := loadingOnly(j.goEnv.GOFLAGS)
	if err != nil {
		return fmt.Errorf("GOFLAGS: %w", err)
	}
	j.goCmd.asks = []string{"GOFLAGS=" + load}
	if j.cache, err = cacheDir(j.env); err != nil {
		return err
	}
	if err := makeCache(j.cache); err != nil {
		return fmt.Errorf("cache directory (RACEPRED_CACHE): %w", err)
	}
	return nil
}

// makeWorkDir makes the directory of all temporary files.
func (j *job) makeWorkDir() (err error) {
	tmp := getenv(j.env, "TMPDIR")
	if tmp == "" {
		tmp = os.TempDir()
	}
	tmp = inDir(j.call.dir, tmp) // the test processes run elsewhere
	if j.work, err = makeOwnDir(tmp); err != nil {
		return fmt.Errorf("temporary directory (TMPDIR): %s: %w", tmp, reason(err))
	}
	if !j.args.keep {
		j.guard.made(j.work)
	}
	j.makeStatesDir()
	return errors.Join(os.Mkdir(filepath.Join(j.work, "run"), 0o777), os.Mkdir(filepath.Join(j.work, "go"), 0o777))
}

// shared is a directory whose files are in memory, on systems that have it.
const shared = "/dev/shm"

// makeStatesDir makes the directory of the test processes' states, in shared if there is one: they
// change often. The guard removes it if racepred cannot.
func (j *job) makeStatesDir() {
	var err error
	if j.states, err = makeOwnDir(shared); err != nil {
		j.states = filepath.Join(j.work, "run")
		return
	}
	j.guard.made(j.states)
}

func (j *job) removeWorkDir() {
	if j.states != filepath.Join(j.work, "run") {
		_ = os.RemoveAll(j.states) // it is in memory, and little
	}
	if j.args.keep {
		_ = os.Remove(filepath.Join(j.work, ownerFile))
		fmt.Fprintf(j.err, "racepred: kept %s\n", j.work)
		return
	}
	if err := os.RemoveAll(j.work); err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(j.err, "racepred: %v\n", err)
	}
}
