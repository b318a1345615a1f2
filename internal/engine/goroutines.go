package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/trace"
)

// keepEnded is how many ended goroutines findings can still describe.
const keepEnded = 1 << 16

// maxLookBack bounds the search for the locks held at an access.
const maxLookBack = 1 << 20

// goroutines has what a finding says about each goroutine.
type goroutines struct {
	tables    predict.Tables
	pages     []*goroutinePage                // by name
	freePages predict.FreeList[goroutinePage] // for other names
	sections  predict.Sections[held, *held]
	tests     predict.ByG[[]testFrom] // that began on a goroutine
	free      predict.FreeList[[]testFrom]
	ended     predict.Ended
	handed    handedOver
}

// A page is small, since one goroutine that goes on keeps it.
const goroutinesOfPage = 1 << 6

// goroutinePage has no pointers: there may be very many goroutines, and the collector need not look
// at those that ended.
type goroutinePage struct {
	at [goroutinesOfPage]goroutine
	n  int
}

type goroutine struct {
	fork  trace.Event
	first trace.Seq // its first event that entered or left a section, if some is set
	last  trace.Seq // the last such event, if some is set
	test  testFrom  // the test that ran on its creator when it was started
	known bool      // anything is known of it
	some  bool      // it entered or left a section
}

// held is an open section.
type held struct {
	lock   trace.Addr
	shared bool
	unsure bool // another goroutine gave a read lock back that may have been this one
	begun  trace.Seq
}

// Like implements predict.Sections.
func (h *held) Like(lock trace.Addr, shared bool) bool { return h.lock == lock && h.shared == shared }

// testFrom says which test runs from an event on; 0 is none.
type testFrom struct {
	seq  trace.Seq
	test uint32
}

// arena says where they are. It is called before there is any.
func (gs *goroutines) arena(a predict.Arena) {
	gs.tables.Arena, gs.freePages.Arena, gs.free.Arena = a, a, a
	gs.sections.Arena(&gs.tables)
	gs.tests.Arena(&gs.tables)
}

// heap is about how much of the Go heap they take.
func (gs *goroutines) heap() int {
	return predict.HeapBytes(&gs.tables, gs.pages) + gs.freePages.Bytes() + gs.sections.Bytes() + gs.tests.Bytes() + gs.free.Bytes()
}

// get is what is known of a goroutine, nil for nothing.
func (gs *goroutines) get(id trace.G) *goroutine {
	if no := int(id / goroutinesOfPage); no < len(gs.pages) && gs.pages[no] != nil {
		if g := &gs.pages[no].at[id%goroutinesOfPage]; g.known {
			return g
		}
	}
	return nil
}

// of is get, and makes an entry if there is none.
func (gs *goroutines) of(id trace.G) *goroutine {
	no := int(id / goroutinesOfPage)
	for no >= len(gs.pages) {
		gs.pages = predict.Append(&gs.tables, gs.pages, nil)
	}
	page := gs.pages[no]
	if page == nil {
		page = gs.freePages.Get()
		gs.pages[no] = page
	}
	g := &page.at[id%goroutinesOfPage]
	if !g.known {
		g.known = true
		page.n++
	}
	return g
}

// forget drops what is known of a goroutine that ended long ago.
func (gs *goroutines) forget(id trace.G) {
	gs.sections.Forget(id, nil)
	if list := gs.tests.Delete(id); list != nil {
		*list = (*list)[:0]
		gs.free.Put(list)
	}
	g := gs.get(id)
	if g == nil {
		return
	}
	*g = goroutine{}
	no := int(id / goroutinesOfPage)
	page := gs.pages[no]
	if page.n--; page.n == 0 {
		gs.pages[no] = nil
		gs.freePages.Put(page)
	}
}

// test is the test that runs on the goroutine at seq, 0 for none.
func (gs *goroutines) test(id trace.G, seq trace.Seq) uint32 {
	if list := gs.tests.Get(id); list != nil {
		for _, t := range slices.Backward(*list) {
			if t.seq <= seq {
				return t.test
			}
		}
	}
	if g := gs.get(id); g != nil && g.test.seq <= seq {
		return g.test.test
	}
	return 0
}

// event takes in the event at seq. When it enters or leaves a section, it returns how many its
// goroutine is in then.
func (gs *goroutines) event(seq trace.Seq, ev *trace.Event) (depth int) {
	switch ev.Kind {
	case trace.Acquire, trace.RAcquire:
		gs.of(ev.G).section(seq)
		return gs.sections.Enter(ev.G, held{lock: ev.Addr, shared: ev.Kind == trace.RAcquire, begun: seq})
	case trace.Release, trace.RRelease:
		gs.of(ev.G).section(seq)
		if s, by := gs.sections.Leave(ev.G, ev.Addr, ev.Kind == trace.RRelease); by != ev.G && by != 0 {
			gs.handed.add(s.begun, seq)
			gs.unsure(&s)
		}
		return len(gs.sections.Of(ev.G))
	case trace.Fork:
		child := gs.of(trace.G(ev.Other))
		child.fork = *ev
		if t := gs.test(ev.G, seq); t != 0 {
			child.test = testFrom{seq, t}
		}
	case trace.TestBegin:
		gs.begins(ev.G, seq, ev.Other)
	case trace.End:
		gs.sections.End(ev.G)
		for _, id := range gs.ended.Add(ev.G) {
			gs.forget(id)
		}
	}
	return 0
}

// begins notes that the test runs on the goroutine from seq on.
func (gs *goroutines) begins(id trace.G, seq trace.Seq, test uint32) {
	gs.of(id)
	list := gs.tests.Make(id, &gs.free)
	*list = predict.Append(&gs.tables, *list, testFrom{seq, test})
}

// section notes that the goroutine entered or left a section.
func (g *goroutine) section(seq trace.Seq) {
	if !g.some {
		g.some, g.first = true, seq
	}
	g.last = seq
}

// participants are a candidate's events with what is known about their goroutines.
func (e *Engine) participants(c *predict.Candidate) (list []Participant) {
	for _, ev := range c.Events {
		list = append(list, e.participant(ev))
	}
	return list
}

func (e *Engine) participant(a predict.Event) Participant {
	out := Participant{Seq: a.Seq, Ev: a.Ev}
	e.describe(&out, e.sectionsAround(a))
	return out
}

// sectionsAround lists the acquires of the sections that a goroutine is in when it comes to an
// event, the outermost first. If the event is itself an acquire, it is not in the list.
func (e *Engine) sectionsAround(a predict.Event) []predict.Event {
	in := e.sectionsAt(a.Seq, a.Ev.G)
	if n := len(in); n > 0 && in[n-1].Seq == a.Seq {
		in = in[:n-1]
	}
	return in
}

// describe adds to a participant the locks of the sections that it is in, where its goroutine was
// started, and which test runs on it.
func (e *Engine) describe(x *Participant, in []predict.Event) {
	for _, acquire := range in {
		x.Locks = append(x.Locks, acquire.Ev)
	}
	if g := e.gs.get(x.Ev.G); g != nil {
		x.Fork, x.Test = g.fork, e.gs.test(x.Ev.G, x.Seq)
	}
}

// sectionsAt goes back in the window to the acquires of the sections that goroutine g is in at seq,
// the outermost first.
func (e *Engine) sectionsAt(seq trace.Seq, g trace.G) []predict.Event {
	there := seq
	if known := e.gs.get(g); known != nil {
		if !known.some || seq < known.first {
			return nil
		}
		seq = min(seq, known.last) // it is in the same sections from there to seq
	}
	if seq < e.window.first {
		return nil
	}
	depth, from := -1, seq // how many sections it was in after the event at from; not known yet
	var in []predict.Event
	ended := map[held]int{} // releases on the way, by lock and mode
	for n := trace.Seq(0); depth != 0 && n < maxLookBack && n <= seq-e.window.first; n++ {
		at := seq - n
		if !e.window.by(at, g) {
			continue
		}
		ev, d := e.window.at(at)
		spec := ev.Kind.Spec()
		if !spec.Opens && !spec.Closes {
			continue
		}
		if depth < 0 {
			if depth, from = d, at; depth == 0 {
				break
			}
		}
		k := held{lock: ev.Addr, shared: spec.Shared}
		end, handed := e.gs.handed.end(at) // never for a release
		handed = handed && end <= there
		switch {
		case spec.Closes:
			ended[k]++
		case handed && end > from: // it counts in the depth that is known
			depth--
		case handed: // and no release of g's own ends it
		case ended[k] > 0:
			ended[k]--
		default:
			in = append(in, predict.Event{Seq: at, Ev: ev})
			depth--
		}
	}
	slices.Reverse(in)
	return in
}
