//go:build racepred_seam

package process

import (
	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/protocol"
)

// maxOpen is how many events a process leaves for others to settle goals in (some 20 MB); of goals beyond that it is only said that
// they are possible.
const maxOpen = 1 << 22

// openPairs is the file of what the engine did not settle.
type openPairs struct {
	*tables // nil: nothing was written yet
	file    *output
	events  int
	err     error
}

// unsettled leaves a stretch to the command that runs the tests.
func (a *analysis) unsettled(u *engine.Unsettled) {
	o := &a.open
	if o.err != nil || o.events+len(u.Events) > maxOpen {
		return
	}
	o.events += len(u.Events)
	if o.err = a.writeOpen(u); o.err != nil {
		runtime_write([]byte("racepred: cannot write what is to be settled after the tests: " + o.err.Error() + "; it stays possible\n"))
	}
}

func (a *analysis) writeOpen(u *engine.Unsettled) (err error) {
	o := &a.open
	if o.tables == nil {
		if o.file, err = create(a.prefix + protocol.OpenSuffix); err != nil {
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
	o.Stretch(&u.Stretch, u.Events)
	return o.Flush()
}
