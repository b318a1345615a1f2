package deadlock

import "github.com/racepred/racepred/internal/predict"

// writers has the latest acquisitions to write of locks that were read, too, for (K4). The latest
// locks are known, so many as there may be nodes.
type writers struct {
	by   predict.Index[lock, [kept]last]
	free predict.FreeList[[kept]last]
	ring []lock // in the order in which they came, the oldest at next; some are gone
	next int
}

// arena says where lists are.
func (x *writers) arena(t *predict.Tables) {
	x.free.Arena = t.Arena
	x.by.Arena(t)
}

// kept is how many acquisitions to write a lock keeps, of as many goroutines.
const kept = 3

// make is the empty list of a lock that has none. If there are most lists, the oldest makes room.
func (x *writers) make(l lock, most int) *[kept]last {
	if len(x.ring) < most {
		x.ring = append(x.ring, l)
	} else {
		x.delete(x.ring[x.next])
		x.ring[x.next] = l
		x.next = (x.next + 1) % most
	}
	w := x.free.Get()
	*w = [kept]last{}
	x.by.Put(l, w)
	return w
}

func (x *writers) delete(l lock) {
	if w := x.by.Get(l); w != nil {
		x.by.Delete(l)
		x.free.Put(w)
	}
}
