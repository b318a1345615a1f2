package condwait

import "sync"

type queue struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int
}

func (q *queue) take() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		q.cond.Wait() // want `q.cond.Wait is not in a loop`
	}
	q.n--
}

func (q *queue) takeRight() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.n == 0 {
		q.cond.Wait()
	}
	q.n--
}

func (q *queue) wait() { q.cond.Wait() }
