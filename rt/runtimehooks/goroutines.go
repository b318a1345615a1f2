//go:build racepred_seam

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// rpGs has all goroutines that are recorded, until what they recorded was read. It is a table and
// not a list, since the drain looks at all of them: the processor loads many at once.
var rpGs rpTable

// rpTable is changed under rpGLock. Only the drain removes, so it may look at the first n, or at
// what was at before the table grew, without the lock.
type rpTable struct {
	at      *rpGTable
	n, room uintptr
}

type rpGTable [1 << 28]*rpG

const rpFirstGs = 64

func (t *rpTable) full() bool { return t.n == t.room }

// rpMoreGs makes a table that is larger than one with room for so many.
func rpMoreGs(room uintptr) *rpGTable {
	return (*rpGTable)(persistentalloc(max(2*room, rpFirstGs)*goarch.PtrSize, goarch.PtrSize, &memstats.other_sys))
}

// grow makes more, of rpMoreGs, the table. The old one is not freed, as the drain may look at it.
func (t *rpTable) grow(more *rpGTable) {
	for i := range t.n {
		more[i] = t.at[i]
	}
	t.at, t.room = more, max(2*t.room, rpFirstGs)
}

func (t *rpTable) add(s *rpG) {
	s.no = uint32(t.n)
	t.at[t.n] = s
	t.n++
}

func (t *rpTable) remove(s *rpG) {
	t.n--
	last := t.at[t.n]
	t.at[s.no], last.no = last, s.no
}

// rp_goroutines are all goroutines, n pointers to an rpG.
//
//go:linkname rp_goroutines internal/racepred/process.runtime_goroutines
func rp_goroutines() (at unsafe.Pointer, n int) {
	lock(&rpGLock)
	at, n = unsafe.Pointer(rpGs.at), int(rpGs.n)
	unlock(&rpGLock)
	return at, n
}

// rp_reap removes n goroutines, and keeps them for others.
//
//go:linkname rp_reap internal/racepred/process.runtime_reap
func rp_reap(dead unsafe.Pointer, n int) {
	lock(&rpGLock)
	for _, s := range unsafe.Slice((**rpG)(dead), n) {
		rpGs.remove(s)
		rpFiltered += s.filtered
		s.dropCache()
		s.next = rpFreeGs
		rpFreeGs = s
	}
	unlock(&rpGLock)
}

// rp_filtered is how many accesses were looked at and not recorded: repeats and the like.
//
//go:linkname rp_filtered internal/racepred/process.runtime_filtered
func rp_filtered() (n uint64) {
	lock(&rpGLock)
	n = rpFiltered
	for i := range rpGs.n {
		n += rpGs.at[i].filtered
	}
	unlock(&rpGLock)
	return n
}
