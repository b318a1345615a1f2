package seam

// Tests that called T.Parallel are not ordered. But package testing orders them by its own work: it
// counts the running ones, wakes the next one, prints, and keeps lists under locks that all of them
// take. (E8) flags the operations of such a function as unseen: it releases, but it does not
// observe what it acquires. Why that is right:
//
//   - waitParallel, release: a flag decides how many tests run at once, and the one that is woken
//     was ready to run;
//   - the printers, and the functions that pass output on: they append lines, and no code in the
//     process reads them;
//   - setRan, Fail, and Run where it notes that there are subtests: they set a flag for good. A
//     function that reads a flag, as T.Failed does, observes it as before;
//   - checkRaces, resetRaces: they count findings of racepred itself;
//   - running, parallelStart, parallelStop, numFailed: the alarm, AllocsPerRun and -failfast read
//     them, and observe them as before;
//   - fullName: the name of a subtest depends on others with the same name up to the first #, so
//     these keep their order (named);
//   - Cleanup: the test's end calls the functions, the last one first. So they keep their order
//     (inOrder), and another goroutine of the test observes nothing;
//   - the directories of T.TempDir: their names are new, so other files make no difference.
//
// T.Helper is not recorded at all. It adds to a set, under a lock that it holds for that alone, and
// nothing that a test can ask depends on the set: it changes no more than which position a line of
// T.Log names. Assertions call it all the time: it was 3 to 11 % of all events of suites that use
// testify.
//
// A test can rely on the rest, which keeps its order: T.Run's go statement, the channels by which a
// test reports that it is done or parallel and is told to go on, and the locks of everything that a
// test can ask.
//
// None of the functions calls code of a test. Each of them may panic, so the unseen part ends by a
// deferred call.

// unobserved begins such a function.
const unobserved = "defer race.Unseen(race.Unseen(true))"

// unrecorded begins a function of which nothing is recorded: neither synchronization nor accesses,
// which maps announce.
const unrecorded = "race.Disable(); defer race.Enable(); " + unobserved

// unobservedHelpers is added to package testing.
const unobservedHelpers = `package testing

import (
	"internal/race"
	"os"
	"strings"
	"sync"
	"unsafe"
)

// toldMap is a map whose Store and Delete observe nothing.
type toldMap struct{ sync.Map }

func (m *toldMap) Store(key, value any) {
	defer race.Unseen(race.Unseen(true))
	m.Map.Store(key, value)
}

func (m *toldMap) Delete(key any) {
	defer race.Unseen(race.Unseen(true))
	m.Map.Delete(key)
}

// names are objects that order subtests by their names; several names share one.
var names [1 << 10]uint64

// named keeps the order of subtests whose names may depend on each other. The matcher is locked.
func named(parent, subname string) {
	defer race.Unseen(race.Unseen(false))
	name, _, _ := strings.Cut(parent+"/"+subname, "#")
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	race.Change(unsafe.Pointer(&names[h>>32%uint64(len(names))]))
}

// inOrder keeps the order of the functions that a test's end calls. The test is locked.
func inOrder(c *common) {
	defer race.Unseen(race.Unseen(false))
	race.Change(unsafe.Pointer(&c.cleanups))
}

func mkdirTemp(dir, pattern string) (string, error) {
	defer race.Unseen(race.Unseen(true))
	return os.MkdirTemp(dir, pattern)
}

func mkdir(dir string, perm os.FileMode) error {
	defer race.Unseen(race.Unseen(true))
	return os.Mkdir(dir, perm)
}

func stat(name string) (os.FileInfo, error) {
	defer race.Unseen(race.Unseen(true))
	return os.Stat(name)
}
`
