//go:build racepred_seam

package process

import (
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/protocol"
)

// maxDeferred is how many events (some 20 MB) a process leaves to the command, for searches of
// schedules. Goals beyond that stay possible.
const maxDeferred = 1 << 22

// deferredFile is the file of the searches that the engine gave up on.
type deferredFile struct {
	*tables // nil before the first search
	file    *output
	events  int
	err     error
}

// deferSearch leaves a search to the command that runs the tests.
func (a *analysis) deferSearch(u *engine.DeferredSearch) {
	o := &a.deferred
	if o.err != nil || o.events+len(u.Events) > maxDeferred {
		return
	}
	o.events += len(u.Events)
	if o.err = a.writeDeferred(u); o.err != nil {
		runtime_write([]byte("racepred: cannot write what is to be searched for after the tests: " + o.err.Error() + "; it stays possible\n"))
	}
}

func (a *analysis) writeDeferred(u *engine.DeferredSearch) (err error) {
	o := &a.deferred
	if o.tables == nil {
		if o.file, err = create(a.prefix + protocol.DeferredSuffix); err != nil {
			return err
		}
		o.tables = a.newTables(o.file)
		for n, name := range a.tests {
			if name != "" {
				o.Test(uint32(n), name)
			}
		}
	}
	o.newSites()
	for i := range u.Events {
		o.newStack(u.Events[i].Stack)
	}
	o.Deferred(&u.Deferred, u.Events)
	return o.Flush()
}
