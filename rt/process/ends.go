//go:build racepred_seam

package process

import (
	"os"
	"strconv"
	_ "unsafe" // go:linkname

	"github.com/racepred/racepred/internal/protocol"
	"github.com/racepred/racepred/internal/trace"
)

// runtime_endHooks sets what the helper goroutine calls now and then, and what is called before the
// process ends (runtimehooks/ends.go).
//
//go:linkname runtime_endHooks
func runtime_endHooks(help func() bool, end func(how, status int32))

// runtime_testsOver says whether all tests of the process are over: then its end waits for timers.
//
//go:linkname runtime_testsOver
func runtime_testsOver(over bool)

// ends says how a process ended, in the words of the report.
var ends = [...]string{
	rpEndsInOrder: "", rpEndsByCall: "", rpEndsByPanic: protocol.EndPanic, rpEndsByFatal: protocol.EndFatal, rpEndsBySignal: protocol.EndSignal, rpEndsExec: "",
}

// endHook runs before the process ends, in the goroutine that ends it. Other goroutines may never
// unlock the locks that they hold, so it takes only the engine's own.
func endHook(how, status int32) {
	with(func(a *analysis) {
		a.drain(true)
		a.flush()
		a.blocked(how)
		a.how, a.status = how, status
		a.sayWhy()
		if a.sayState(); how != rpEndsExec {
			a.writeResult()
		}
	})
}

// sayWhy says why the process fails though its tests passed: package runtime turns status 0 into 66
// if there is a race, as with -race.
func (a *analysis) sayWhy() {
	if a.races > 0 && a.how == rpEndsInOrder && a.status == 0 && told.code.Load() == 0 {
		runtime_write([]byte("racepred: no test failed; findings that fail the process: " + strconv.Itoa(a.races) + "\n"))
	}
}

// helpHook runs in the helper goroutine, now and then while the process records anything, so that
// little is lost when it is killed. It returns whether it must be called again even if nothing is
// recorded.
func helpHook() (more bool) {
	locked(func(a *analysis) {
		a.pace.around(func() { a.drain(false) })
		now := runtime_now()
		more = a.resolve(now)
		more = a.watchLocks(now) || more
		a.sayState()
	}, func() bool { more = true; return false })
	return more
}

// resolved says when schedules of waiting goals are searched before their test ends.
type resolved struct {
	seen trace.Seq // the event that came next when the helper last looked
	next int64     // the earliest time of the next search
}

// resolveShare times the duration of a search is how long the helper waits until the next one, but
// no longer than resolveMost nanoseconds.
const (
	resolveShare = 20
	resolveMost  = 1e9
)

// resolve searches schedules of the goals that waited already when the helper looked last. All that
// was executed before then has been drained by now, so it is known which reads are uncertain. It
// returns whether goals still wait.
func (a *analysis) resolve(now int64) bool {
	r := &a.resolved
	if a.engine.Waiting() > 0 && r.seen > 0 && now >= r.next {
		a.recorded(false)
		a.engine.FlushBefore(r.seen)
		end := runtime_now()
		r.next = end + min(resolveShare*(end-now), resolveMost)
	}
	r.seen = a.engine.Next()
	return a.engine.Waiting() > 0
}

// process is what is known of this process at the start.
func (a *analysis) process() protocol.Process {
	return protocol.Process{PID: os.Getpid(), PPID: os.Getppid(), Package: a.namer.Package, Dir: a.wd}
}
