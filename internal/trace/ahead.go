package trace

// Ahead is a Source that reads another one in a goroutine of its own, some events ahead, so that reading and what
// is done with the events share the processors. What is read must not be looked at in any other way meanwhile.
type Ahead struct {
	full  chan *batch
	empty chan *batch
	stop  chan struct{}
	cur   *batch // nil before the first and after the last
	at    int
	last  batch // what came after the last event
}

// batch is some events, and what came after them: Next when that is just the next batch.
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

// Stop lets go of the source; what was read ahead is lost. It may be called more than once, and must not be called together with Next.
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

// fill reads events up to the first answer that is none, as far as there is room.
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

// Batch is Next for many events, which stay where they are until the next call. There are none unless the answer is Next.
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
			a.empty <- b // there is room for all batches; from here on it is the reader's
			if a.last.answer != Next || a.last.err != nil {
				return a.last.answer, a.last.err
			}
		}
		if a.cur, a.at = <-a.full, 0; len(a.cur.events) > 0 {
			return Next, nil
		}
	}
}
