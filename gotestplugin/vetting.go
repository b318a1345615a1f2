package gotestplugin

import (
	"context"
	"errors"
	"sync"
	"time"
)

// vetting is vet, which runs while the recording build is prepared. To load packages, the go command
// compiles what they import, and so does go vet. With an empty build cache each of the two would
// compile all of it. So vet is stopped if it takes long, and begins again when the packages are
// loaded: what was compiled until then is in the cache.
type vetting struct {
	once    sync.Once
	loaded  chan struct{} // closed when the packages are
	done    chan struct{} // closed when the results are there
	failing []string
	err     error
}

// vetAlone is how long vet may take while packages are loaded. What both compile in that time, they
// compile twice; with a warm cache it is enough for both.
const vetAlone = 2 * time.Second

var errVetAgain = errors.New("vet begins again when the packages are loaded")

// startVet starts vet, and stops the preparation if it finds that nothing builds.
func (j *job) startVet(ctx context.Context, stop context.CancelCauseFunc) *vetting {
	v := &vetting{loaded: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(v.done)
		var broken map[string]bool
		v.failing, broken, v.err = v.first(ctx, j)
		if errors.Is(v.err, errVetAgain) {
			<-v.loaded
			v.failing, broken, v.err = j.runVet(ctx)
		}
		if v.err == nil && j.graph.noneBuilds(broken) {
			stop(errNothingBuilds)
		}
	}()
	return v
}

// first is the first attempt.
func (v *vetting) first(ctx context.Context, j *job) (failing []string, broken map[string]bool, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	again := time.AfterFunc(vetAlone, func() {
		select {
		case <-v.loaded:
		default:
			stop(errVetAgain)
		}
	})
	defer again.Stop()
	return j.runVet(ctx)
}

func (j *job) runVet(ctx context.Context) (failing []string, broken map[string]bool, err error) {
	return j.goCmd.vet(ctx, j.args, j.graph, j.goEnv.GOVERSION)
}

// isLoaded is called when the packages are loaded, or will not be.
func (v *vetting) isLoaded() { v.once.Do(func() { close(v.loaded) }) }

// wait returns the packages that fail vet.
func (v *vetting) wait() (failing []string, err error) {
	v.isLoaded()
	<-v.done
	return v.failing, v.err
}
