//go:build racepred_seam

// Package process runs the engine inside of the tested binary: records that
// package runtime keeps per goroutine -> one ordered stream of events -> the engine ->
// findings on standard error and in files for the command.
//
// Package testing imports it, and package runtime calls it back at these safe points: when testing
// asks for the number of races, when much has been recorded, at the process's end, and now and
// then. It has no goroutine of its own: the work is done by the goroutine that is at a safe point,
// or by the helper goroutine of the runtime (docs/ends.md), which is not recorded meanwhile.
package process

import (
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/racepred/racepred/internal/library"
	"github.com/racepred/racepred/internal/protocol"
)

// drainAt is how many chunks (1.5 KB each) may fill up between two drains. It is small, so that the
// goroutine that drains stands still for a few milliseconds only: programs with tickers and
// timeouts notice more. It grows with the number of goroutines, since a drain looks at each.
const drainAt = 1 << 7

// backlog is how many more chunks (0.8 MB) may fill up while one goroutine drains. Then others wait
// for it.
const backlog = 1 << 9

// longBacklog (24 MB) is backlog for goroutines that have not filled a chunk so far.
const longBacklog = 1 << 14

// giveUpAt is how many chunks (0.5 GB) may wait at all, beside the one of each goroutine. A program
// whose goroutines never come to a safe point may reach it; then the recording ends.
const giveUpAt = 340 << 10

// exitUsage is the status of a process that does not understand its settings.
const exitUsage = 2

// Functions of package runtime.

//go:linkname runtime_hooks
func runtime_hooks(drain func(), errors func() int, contains func(symbol string) bool)

//go:linkname runtime_drained
func runtime_drained(n, giveUpAt int64)

//go:linkname runtime_waiting
func runtime_waiting() int64

//go:linkname runtime_brief
func runtime_brief() bool

// runtime_now is a clock that no bubble of testing/synctest stops, in nanoseconds.
//
//go:linkname runtime_now
func runtime_now() int64

//go:linkname runtime_giveUp
func runtime_giveUp()

//go:linkname runtime_lostAt
func runtime_lostAt() uint64

//go:linkname runtime_self
func runtime_self() unsafe.Pointer

//go:linkname runtime_goroutines
func runtime_goroutines() (at unsafe.Pointer, n int)

//go:linkname runtime_tickets
func runtime_tickets() uint64

//go:linkname runtime_filterOff
func runtime_filterOff()

//go:linkname runtime_randomSchedule
func runtime_randomSchedule()

//go:linkname runtime_alone
func runtime_alone(mode uint32)

//go:linkname runtime_filtered
func runtime_filtered() uint64

//go:linkname runtime_mallocs
func runtime_mallocs() uint64

//go:linkname runtime_afresh
func runtime_afresh(first bool) int64

//go:linkname runtime_look
func runtime_look(now int64) (busy int64, looked bool)

//go:linkname runtime_begins
func runtime_begins(now int64)

//go:linkname runtime_looksNext
func runtime_looksNext(now, busy int64)

//go:linkname runtime_busy
func runtime_busy() (all, stay int)

//go:linkname runtime_busyAt
func runtime_busyAt(n, again uint32)

//go:linkname runtime_outputsSeen
func runtime_outputsSeen()

//go:linkname runtime_unshadowed
func runtime_unshadowed() uintptr

//go:linkname runtime_unforwarded
func runtime_unforwarded() uint64

//go:linkname runtime_unstubbed
func runtime_unstubbed() uint64

//go:linkname runtime_freeChunks
func runtime_freeChunks(first, last unsafe.Pointer, n int)

//go:linkname runtime_alloc
func runtime_alloc(bytes uintptr) unsafe.Pointer

//go:linkname runtime_heap
func runtime_heap(bytes uint64)

//go:linkname runtime_reap
func runtime_reap(dead unsafe.Pointer, n int)

//go:linkname runtime_sites
func runtime_sites(i int) (file, pkg string, base uint32, n int, table string, ok bool)

//go:linkname runtime_ofLibrary
func runtime_ofLibrary(site uint32) bool

//go:linkname runtime_stack
func runtime_stack(id uint32, pcs []uintptr) int

//go:linkname runtime_wrapper
func runtime_wrapper(pc uintptr) (fn, file string, line int)

//go:linkname runtime_mark
func runtime_mark(test uint32)

//go:linkname runtime_yield
func runtime_yield()

//go:linkname runtime_write
func runtime_write(b []byte)

// state is all state of the analysis, behind one lock.
var (
	mu       sync.Mutex
	current  *analysis
	disabled atomic.Bool // the engine failed; the test goes on without it
)

func init() {
	set, err := protocol.ReadSettings(os.Getenv)
	if err != nil {
		runtime_write([]byte("racepred: " + err.Error() + "\n"))
		os.Exit(exitUsage)
	}
	waived, err := readWaived(set.Waived)
	if err != nil {
		runtime_write([]byte("racepred: " + protocol.EnvWaived + ": " + err.Error() + "\n"))
		os.Exit(exitUsage)
	}
	current = newAnalysis(set)
	current.namer.Waived = waived
	if set.Options.Unfiltered {
		runtime_filterOff()
	}
	if !set.Options.UsualSchedule {
		runtime_randomSchedule()
	}
	if alone := set.Options.Alone; alone != protocol.AloneDefault || set.Options.Sample != protocol.SampleOff && !set.Options.Unfiltered {
		runtime_alone(uint32(alone))
	}
	runtime_hooks(drainHook, errorsHook, containsHook)
	runtime_endHooks(helpHook, endHook)
	runtime_drained(current.drainAt(), giveUpAt)
}

// with runs f with recording off on this goroutine and the engine locked. Within
// the engine itself, as when that crashes, it does nothing.
func with(f func(a *analysis)) { locked(f, func() bool { return true }) }

// locked is with, but does nothing if another goroutine has the engine and wait returns false.
func locked(f func(a *analysis), wait func() bool) {
	self := (*rpG)(runtime_self())
	if self != nil {
		if self.ignore%rpIgnoreAll != 0 { // within the engine; an unrecorded goroutine must still report its exit
			return
		}
		self.ignore++
		defer func() { self.ignore-- }()
	}
	if disabled.Load() {
		return
	}
	if !mu.TryLock() {
		if !wait() {
			return
		}
		mu.Lock()
	}
	defer mu.Unlock()
	if disabled.Load() { // meanwhile
		return
	}
	defer func() {
		if r := recover(); r != nil {
			disabled.Store(true)
			runtime_giveUp()
			current.broken(r)
		}
	}()
	f(current)
}

// containsHook is library.Contains.
func containsHook(symbol string) bool {
	if self := (*rpG)(runtime_self()); self != nil {
		self.ignore++
		defer func() { self.ignore-- }()
	}
	return library.Contains(symbol)
}

// drainHook may be called with any lock of the library held, so it must take none of them.
//
// A goroutine that calls it while another one drains goes on, since it may hold a lock that others
// wait for. It waits only if the one that drains cannot keep up. One that has hardly recorded
// anything mostly ends soon: if thousands of those waited, their stacks would take more memory than
// their chunks do, so they wait for longBacklog only.
func drainHook() {
	locked(func(a *analysis) {
		if runtime_waiting() > 0 {
			a.pace.around(func() { a.drain(false) })
		}
	}, func() bool {
		late := runtime_waiting()
		return late > longBacklog || late > backlog && !runtime_brief() || asked.Load() > 0
	})
}

// asked is how many goroutines wait in errorsHook for what happened before. Meanwhile others make
// no backlog: testing asks several times for each test, and if goroutines of an earlier test keep
// spinning, each backlog takes as long as many tests do.
var asked atomic.Int32

// errorsHook is race.Errors: it analyses all that happened before the call.
func errorsHook() int {
	n, asks := 0, false
	ask := func() {
		if !asks {
			asks = true
			asked.Add(1)
			runtime_drained(0, giveUpAt) // so that they ask whether to wait
		}
	}
	locked(func(a *analysis) {
		ask()
		a.drain(true)
		asked.Add(-1)
		a.flush()
		n = a.races
	}, func() bool { ask(); return true })
	return n
}

// TestBegin says that the calling goroutine, and those that it starts, run the test.
func TestBegin(name string) {
	var id uint32
	with(func(a *analysis) {
		id = a.test(name)
		a.pace.begin(runtime_now())
	})
	if id != 0 {
		runtime_mark(id)
	}
}

// Mallocs is how many objects the engine has allocated. Package testing subtracts them from its
// counts.
func Mallocs() uint64 { return runtime_mallocs() }
