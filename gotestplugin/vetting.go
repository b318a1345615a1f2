package gotestplugin

import (
	"context"
	"errors"
	"sync"
	"time"
)

// vetting is vet, which runs while the recording build is prepared, as soon as there is a foundation
// for it. To load packages, the go command compiles what they import, and so does go vet. With an
// empty build cache each of the two would compile all of it. So vet is stopped if it takes long, and
// begins again when the packages are loaded: what was compiled until then is in the cache.
type vetting struct {
	*foundation
	laid    chan struct{} // closed when the foundation is
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
	v := &vetting{laid: make(chan struct{}), loaded: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(v.done)
		<-v.laid
		var broken map[string]bool
		v.failing, broken, v.err = v.first(ctx, j)
		if errors.Is(v.err, errVetAgain) {
			<-v.loaded
			v.failing, broken, v.err = v.run(ctx, j)
		}
		if v.err == nil && j.graph.noneBuilds(broken) && v.confirms(ctx, j) {
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
	return v.run(ctx, j)
}

func (v *vetting) run(ctx context.Context, j *job) (failing []string, broken map[string]bool, err error) {
	return v.vet(ctx, j.args, j.graph, j.goEnv.GOVERSION)
}

// confirms reports whether no package builds without the flags of the recording build either: what a
// compiler's flag has it print of packages that it compiles looks like errors.
func (v *vetting) confirms(ctx context.Context, j *job) bool {
	_, broken, err := j.plain().vet(ctx, j.args, j.graph, j.goEnv.GOVERSION)
	return err == nil && j.graph.noneBuilds(broken)
}

// begin begins, with f as the foundation, unless it has begun.
func (v *vetting) begin(f *foundation) {
	if v.foundation == nil {
		v.foundation = f
		close(v.laid)
	}
}

// isLoaded is called when the packages are loaded, or will not be.
func (v *vetting) isLoaded() { v.once.Do(func() { close(v.loaded) }) }

// wait returns the packages that fail vet. Without a foundation it runs on otherwise.
func (v *vetting) wait(otherwise *foundation) (failing []string, err error) {
	v.begin(otherwise)
	v.isLoaded()
	<-v.done
	return v.failing, v.err
}
