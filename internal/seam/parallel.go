package seam

// Tests that called T.Parallel are not ordered, but package testing orders them: it counts those that run, wakes the next one, prints, and keeps lists under
// locks that all of them take. (E8) is that each such function tells what it does, while nobody looks at what it is told:
//
//   - waitParallel, release: how many run at once is a flag's business, and whoever is woken was ready to go;
//   - the printers, and what passes output on: lines are appended, and nobody in the process reads them;
//   - setRan, Fail, and Run where it says that there are subtests: they set a flag for good. What reads one, as T.Failed does, finds it as ever;
//   - checkRaces, resetRaces: counters of what racepred itself found;
//   - running, parallelStart, parallelStop, numFailed: read by the alarm, AllocsPerRun and -failfast, which find them as ever;
//   - fullName: the name of a subtest depends on others of the same name up to the first #, which are told apart; so these keep their order (told's named);
//   - the directories of T.TempDir: their names are new, so that what else there is in the file system makes no difference.
//
// What remains is what a test can rely on, and keeps its order: T.Run's go statement, the channels on which a test tells that it is done or that it is
// parallel and is told that it may go on, and the locks of what a test can ask.
//
// None of the functions calls code of a test. Each of them may panic, so the part ends by a deferred call.

// unlooked begins such a function.
const unlooked = "defer race.Unseen(race.Unseen(true))"

// told is added to package testing.
const told = `package testing

import (
	"internal/race"
	"os"
	"strings"
	"sync"
	"unsafe"
)

// toldMap is a map that nobody looks at who stores.
type toldMap struct{ sync.Map }

func (m *toldMap) Store(key, value any) {
	defer race.Unseen(race.Unseen(true))
	m.Map.Store(key, value)
}

func (m *toldMap) Delete(key any) {
	defer race.Unseen(race.Unseen(true))
	m.Map.Delete(key)
}

// names are the objects that say which subtests got a name first, several names each.
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
