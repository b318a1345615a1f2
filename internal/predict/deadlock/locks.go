package deadlock

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// lock is one life of an address as a lock: an Alloc of its memory ends it. (K6)
type lock uint32

// locks knows the lock at each address.
type locks struct {
	at   predict.ByAddr[lock]
	free predict.FreeList[lock]
	last lock
	most int // when there are more, those that nobody knows are forgotten
	room int // most is this much at least
}

const (
	lockBytes = 128 // about what a lock takes that is far from others
	maxLocks  = 1 << 13
)

func newLocks(memory int) locks {
	room := maxLocks
	if memory > 0 {
		room = min(room, max(memory/8/lockBytes, 1))
	}
	return locks{most: room, room: room}
}

// arena says where locks are.
func (x *locks) arena(t *predict.Tables) {
	x.free.Arena = t.Arena
	x.at.Arena(t)
}

// of is the lock at an address.
func (x *locks) of(a trace.Addr) lock {
	l := x.at.Get(a)
	if l == nil {
		x.last++
		l = x.free.Get()
		*l = x.last
		x.at.Put(a, l)
	}
	return *l
}

// end ends the lives of the locks in size bytes of memory, after a call of f for each.
func (x *locks) end(a trace.Addr, size uint32, f func(lock)) {
	x.at.Forget(a, size, func(l *lock) bool {
		f(*l)
		x.free.Put(l)
		return true
	})
}

// many reports whether there are so many that keep is to be called.
func (x *locks) many() bool { return x.at.Len() > x.most }

// keep forgets all but those that are known.
func (x *locks) keep(known func(lock) bool) {
	x.at.Sweep(func(_ trace.Addr, l *lock) bool {
		if known(*l) {
			return false
		}
		x.free.Put(l)
		return true
	})
	x.most = max(2*x.at.Len(), x.room)
}

func (x *locks) bytes() int { return x.at.Bytes() + x.free.Bytes() }
