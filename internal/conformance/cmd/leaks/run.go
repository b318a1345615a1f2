package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/collect"
)

// runner builds the programs and runs them.
type runner struct {
	work, racepred string // without a binary of racepred, the toolchain's profile is used
	n              int
}

// limit is how long a program may run.
const limit = time.Minute

// asTest makes tests of the programs. They write the toolchain's profile when they are done, which
// is nil without its experiment.
const asTest = `package main

import (
	"runtime/pprof"
	"testing"
)

func init() {
	if pprof.Lookup("goroutineleak") == nil {
		pprof.NewProfile("goroutineleak")
	}
}

func TestKernel(t *testing.T) {
	for name, f := range cmds {
		t.Run(name, func(t *testing.T) { f() })
	}
}
`

// build copies a corpus, as it has to be in a module, and builds its test binary.
func (r *runner) build(ctx context.Context, c *corpus) error {
	dir := filepath.Join(r.work, c.stem())
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(c.dir, "*.go"))
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o666); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"go.mod": "module example.com/leaks\n\ngo 1.26\n", "kernel_test.go": asTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	c.binary = filepath.Join(dir, "kernel.test")
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-c", "-o", c.binary, ".")
	cmd.Env = append(os.Environ(), "GOEXPERIMENT=goroutineleakprofile")
	if r.racepred != "" {
		cmd = exec.CommandContext(ctx, r.racepred, "test", "-vet=off", "-c", "-o", c.binary, ".")
	}
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", c.dir, err, out)
	}
	return nil
}

// run runs a program until all expected leaks were found, or n times. It returns the leaks found,
// in the form of the expressions.
func (r *runner) run(ctx context.Context, c *corpus, k *kernel) (found []string, err error) {
	for i := 0; i < r.n && !k.all(found); i++ {
		dir := filepath.Join(r.work, k.name+"-"+strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o777); err != nil {
			return nil, err
		}
		limited, stop := context.WithTimeout(ctx, limit)
		cmd := exec.CommandContext(limited, c.binary, "-test.run=^TestKernel$/^"+k.name+"$")
		var out bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
		cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOEXPERIMENT=goroutineleakprofile")
		if !k.flaky {
			cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
		}
		if r.racepred != "" {
			cmd.Env = append(cmd.Env, protocol.EnvDir+"="+dir)
		}
		err := cmd.Run()
		late := limited.Err()
		stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if late != nil || strings.Contains(out.String(), "internal error") || strings.Contains(out.String(), "fatal error") {
			return nil, fmt.Errorf("%s: %v\n%s", k.name, err, out.Bytes())
		}
		if r.racepred == "" {
			found = append(found, profiled(out.String())...)
			continue
		}
		run, err := collect.Read(dir, "")
		if err != nil {
			return nil, err
		}
		for i := range run.Findings {
			found = append(found, described(&run.Findings[i])...)
		}
	}
	return found, nil
}

// all reports whether all expected leaks were found. If none is expected, one more run may find
// one.
func (k *kernel) all(found []string) bool {
	for _, re := range k.leaks {
		if !slices.ContainsFunc(found, re.MatchString) {
			return false
		}
	}
	return len(k.leaks) > 0
}

// reasons are the runtime's words for what goroutines wait in, by racepred's.
var reasons = map[string]string{
	"select without cases": "select (no cases)", "receive from a nil channel": "chan receive (nil chan)", "send to a nil channel": "chan send (nil chan)",
	"receive": "chan receive", "send": "chan send", "select": "select", "wait for a sync.Cond": "sync.Cond.Wait", "wait for a sync.WaitGroup": "sync.WaitGroup.Wait",
	"lock": "sync.Mutex.Lock", "rlock": "sync.RWMutex.RLock",
}

// described are the goroutines of a finding in the form of the toolchain's test. The finding does
// not say whether a lock is a Mutex or an RWMutex: then there are two lines.
func described(f *report.Finding) (list []string) {
	if f.Verdict != report.Observed || f.Kind != report.Leak && f.Kind != report.Deadlock { // what another schedule would have had did not happen
		return nil
	}
	for _, a := range f.Accesses {
		if len(a.Stack) == 0 {
			list = append(list, "? ["+reasons[a.Op]+"]")
			continue
		}
		outermost := len(a.Stack) - 1
		for outermost > 0 && strings.Contains(a.Stack[outermost].Func, ".gowrap") { // the compiler's, of which a traceback has none
			outermost--
		}
		name := strings.TrimPrefix(a.Stack[outermost].Func, "example.com/leaks.")
		list = append(list, name+"() ["+reasons[a.Op]+"]")
		if a.Op == "lock" {
			list[len(list)-1] += "\n" + name + "() [sync.RWMutex.Lock]"
		}
	}
	return list
}

// profiled reads the toolchain's profile, as written for people: a paragraph for each goroutine.
func profiled(out string) (list []string) {
	for p := range strings.SplitSeq(out, "\n\n") {
		lines := strings.Split(strings.TrimSpace(p), "\n")
		head := lines[0]
		for i, l := range lines {
			if strings.HasPrefix(l, "goroutine ") && strings.Contains(l, "(leaked)") {
				head = l
			}
			if strings.HasPrefix(l, "created by") && i >= 2 && strings.Contains(head, "(leaked)") {
				_, why, _ := strings.Cut(head, "[")
				why, _, _ = strings.Cut(why, " (leaked)")
				list = append(list, strings.TrimPrefix(lines[i-2], "main.")+" ["+why+"]")
			}
		}
	}
	return list
}
