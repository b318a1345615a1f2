package trace

// Ahead is a Source that reads another one in a goroutine of its own, some events ahead, so that
// reading and the work on the events run at the same time. The other source must not be used
// meanwhile.
type Ahead struct {
	full  chan *batch
	empty chan *batch
	stop  chan struct{}
	cur   *batch // nil before the first and after the last
	at    int
	last  batch // the answer after the last event
}

// batch is some events, and the answer after them: Next if there is a next batch.
type batch struct {
	events []Event
	answer Answer
	err    error
}

const (
	batchEvents  = 2048
	batchesAhead = 4
)

// ReadAhead begins to read src. Stop ends that.
func ReadAhead(src Source) *Ahead {
	a := &Ahead{
		full: make(chan *batch, batchesAhead), empty: make(chan *batch, batchesAhead), stop: make(chan struct{}), last: batch{answer: Next},
	}
	for range batchesAhead {
		a.empty <- &batch{events: make([]Event, 0, batchEvents)}
	}
	go a.read(src, a.stop)
	return a
}

// Stop stops reading; events that were read ahead are lost. It may be called more than once, but
// not at the same time as Next.
func (a *Ahead) Stop() {
	if a.stop != nil {
		close(a.stop)
		a.stop = nil
	}
}

// read fills batches until the source has no more.
func (a *Ahead) read(src Source, stop <-chan struct{}) {
	for {
		var b *batch
		select {
		case b = <-a.empty:
		case <-stop:
			return
		}
		b.fill(src)
		a.full <- b // there is room for all batches
		if b.err != nil || b.answer != Next && b.answer != Flushed {
			return
		}
	}
}

// fill reads events until the batch is full or the answer is not an event.
func (b *batch) fill(src Source) {
	evs := b.events[:cap(b.events)]
	for i := range evs {
		if b.answer, b.err = src.Next(&evs[i]); b.err != nil || b.answer != Next {
			b.events = evs[:i]
			return
		}
	}
	b.events = evs
}

// Next implements Source.
func (a *Ahead) Next(ev *Event) (Answer, error) {
	if a.cur == nil || a.at == len(a.cur.events) {
		if answer, err := a.more(); answer != Next || err != nil {
			return answer, err
		}
	}
	*ev = a.cur.events[a.at]
	a.at++
	return Next, nil
}

// Batch is Next for many events, which stay where they are until the next call. There are none
// unless the answer is Next.
func (a *Ahead) Batch() ([]Event, Answer, error) {
	if a.cur == nil || a.at == len(a.cur.events) {
		if answer, err := a.more(); answer != Next || err != nil {
			return nil, answer, err
		}
	}
	from := a.at
	a.at = len(a.cur.events)
	return a.cur.events[from:], Next, nil
}

// more waits for a batch with an event, or gives the answer that comes before.
func (a *Ahead) more() (Answer, error) {
	for {
		if a.last.answer != Next && a.last.answer != Flushed || a.last.err != nil {
			return a.last.answer, a.last.err
		}
		if b := a.cur; b != nil {
			a.cur = nil
			a.last = batch{answer: b.answer, err: b.err}
			a.empty <- b // there is room for all batches; from here on b belongs to the reader
			if a.last.answer != Next || a.last.err != nil {
				return a.last.answer, a.last.err
			}
		}
		if a.cur, a.at = <-a.full, 0; len(a.cur.events) > 0 {
			return Next, nil
		}
	}
}
