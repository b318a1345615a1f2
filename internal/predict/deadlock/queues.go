package deadlock

import "github.com/racepred/racepred/internal/predict"

// queues has lists of nodes by lock, the oldest first. It is no map of slices: look-ups in a map
// call the recorder's hooks, and the slices would be garbage.
type queues struct {
	tables *predict.Tables
	by     predict.Index[lock, queue]
	free   predict.FreeList[queue]
}

// arena says where lists are.
func (x *queues) arena(t *predict.Tables) {
	x.tables, x.free.Arena = t, t.Arena
	x.by.Arena(t)
}

// queue is a list whose beginning, before head, is gone.
type queue struct {
	at   []*node
	head int
}

// of are a lock's nodes.
func (x *queues) of(l lock) []*node {
	if q := x.by.Get(l); q != nil {
		return q.at[q.head:]
	}
	return nil
}

// push adds a lock's newest node.
func (x *queues) push(l lock, n *node) {
	q := x.by.Get(l)
	if q == nil {
		q = x.free.Get()
		x.by.Put(l, q)
	}
	if q.head > 0 && len(q.at) == cap(q.at) {
		q.at = q.at[:copy(q.at, q.at[q.head:])]
		q.head = 0
	}
	q.at = predict.Append(x.tables, q.at, n)
}

// pop takes out a lock's oldest node.
func (x *queues) pop(l lock) {
	q := x.by.Get(l)
	if q.head++; q.head == len(q.at) {
		x.by.Delete(l)
		*q = queue{at: q.at[:0]}
		x.free.Put(q)
	}
}
