package present

import (
	"path"
	"strings"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbol"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// steps turns events, in the order of the run or of a schedule, into the steps of a report:
//
//	(S1) the events of one operation, which have one stack or none, are one step;
//	(S2) so are the events of one call of the library, or of several at the same place, unless other
//	     goroutines' steps come in between; but operations of locks are steps of their own;
//	(S3) each event of the finding is in a step of its own, without other events of its kind;
//	(S4) operations that rewritten code neither does nor calls are left out, and so are accesses
//	     within a call of the library, unless they are of the finding or in a chain of edges that
//	     kept its events apart;
//	(S5) a step comes after the steps of other goroutines that it waits for, see edges.go.
//
// New objects get the numbers after those in objects.
func (n *Namer) steps(events []engine.Placed, own map[trace.Seq]int, kept []engine.Edge, objects map[trace.Addr]int) []report.Step {
	m := maker{n: n, own: own, now: map[trace.G]int{}, at: map[trace.Seq]int{}, begun: sections{}}
	for i := range events {
		m.event(&events[i])
	}
	m.finish()
	w := waitsFor{ops: m.ops, at: m.at}
	for i := range events {
		w.event(&events[i])
	}
	w.keep(kept)
	return m.shown(w.after, objects)
}

// maker makes steps of events.
type maker struct {
	n    *Namer
	own  map[trace.Seq]int
	ops  []operation
	now  map[trace.G]int   // the last step of a goroutine, plus 1
	last trace.G           // the goroutine of the last event
	at   map[trace.Seq]int // the step of an event

	begun sections
}

// operation is a step that is being made, with what is known from its events.
type operation struct {
	report.Step
	place
	first trace.Event // its first event
	event trace.Event // the event that names it
	mark  uint16      // which events it has
	must  bool        // it is always shown
	gone  bool        // it became part of another step
}

// Events of an operation.
const (
	markAccess  = 1 << iota // a plain access
	markSync                // a synchronization
	markRelease             // a release to an object
	markPin                 // an Observe or Change
	markRead                // a channel's own read (a send)
	markWrite               // a channel's own write (a close)
	markMemory              // an access that rewritten code announces
	markMap                 // a map is changed

	markChannel = markRead | markWrite
)

// event takes in the next event.
func (m *maker) event(p *engine.Placed) {
	ev := &p.Ev
	last := m.last
	m.last = ev.G
	spec := ev.Kind.Spec()
	switch {
	case m.own[p.Seq] != 0:
	case spec.Note, ev.Kind == trace.Alloc, ev.Kind == trace.Opaque, ev.Kind == trace.Begin, ev.Kind == trace.End:
		m.last = last
		return
	case spec.Operand == trace.OnObject && ev.Stack == 0 && ev.Addr < nowhere:
		m.last = last
		return
	}
	if spec.Closes {
		if i := m.begun.call(m.ops, ev); i >= 0 && m.own[p.Seq] == 0 {
			m.at[p.Seq] = i
			return
		}
	}
	where := m.n.place(ev)
	i := m.now[ev.G] - 1
	if i < 0 || !m.ops[i].takes(ev, &where, last == ev.G, m.own[p.Seq] != 0) {
		i = len(m.ops)
		m.ops = append(m.ops, operation{Step: report.Step{Goroutine: m.n.goroutine(ev.G), Event: uint64(p.Seq)}, place: where, first: *ev, event: *ev})
		m.now[ev.G] = i + 1
	} else if last != ev.G && m.ops[i].mark&markSync == 0 { // it has only begun, and other goroutines' events came in between
		m.ops = append(m.ops, m.ops[i])
		m.ops[i].gone = true
		i = len(m.ops) - 1
		m.now[ev.G] = i + 1
	}
	m.at[p.Seq] = i
	if spec.Opens {
		m.begun.add(ev, i)
	}
	o := &m.ops[i]
	if o.line == 0 {
		o.place = where
	}
	if k := m.own[p.Seq]; k != 0 {
		o.Access, o.Event, o.must = k, uint64(p.Seq), true
	}
	o.add(ev, spec)
}

// nowhere is above the addresses of objects that have no memory.
const nowhere = 8

// takes reports whether an event is part of the operation, (S1) to (S3). Adjacent means that no
// other goroutine's event came in between.
func (o *operation) takes(ev *trace.Event, where *place, adjacent, own bool) bool {
	spec := ev.Kind.Spec()
	plain := spec.Access && ev.Flags&trace.FlagAtomic == 0
	switch {
	case own && o.Access != 0, ev.Kind == trace.Fork, o.first.Kind == trace.Fork:
		return false
	case ev.Stack == 0:
		closing := o.mark&markChannel != 0 && ev.Addr == o.first.Addr
		return ev.Site == 0 && (o.mark&markSync != 0 || closing) && !spec.Closes && !spec.Opens && !spec.Access
	case spec.Pin && where.call == "" && o.mark&markPin == 0 && (o.first.Stack == 0 && o.mark == o.mark&(markSync|markRelease) || o.mark&markChannel != 0 && where.line == o.line):
		return true // of a channel: its other events have no stack, or that of another place in the runtime
	case plain && ev.Site != 0 && ev.Site == o.first.Site && o.mark&markAccess == 0: // an announcement of an access, and the access
		return true
	case plain && (own || o.Access != 0) || plain && o.mark&markAccess != 0 && o.call == "":
		return false
	case ev.Stack == o.first.Stack && (ev.Kind == o.first.Kind || spec.Pin && o.mark&markPin != 0 || spec.Opens && o.event.Kind.Spec().Opens): // again, in a loop
		return false
	case ev.Stack == o.first.Stack:
		return true
	}
	return adjacent && where.call != "" && !where.lock && where.call == o.call && where.file == o.file && where.line == o.line // (S2)
}

// add adds an event to the operation.
func (o *operation) add(ev *trace.Event, spec *trace.Spec) {
	switch {
	case spec.Access && ev.Flags&trace.FlagAtomic != 0:
		o.event = *ev
	case spec.Access && ev.Site != 0:
		o.event = *ev
		o.mark |= markAccess | markMemory
	case ev.MapChange():
		o.event = *ev
		o.mark |= markAccess | markMap
	case spec.Access && ev.Size == 1 && o.call == "":
		o.mark |= markAccess | map[bool]uint16{true: markWrite, false: markRead}[ev.Kind == trace.Write]
	case spec.Access:
		o.mark |= markAccess
	default:
		if o.mark&markSync == 0 || spec.Opens || spec.Closes {
			if o.event.Flags&trace.FlagAtomic == 0 || !o.event.Kind.Spec().Access {
				o.event = *ev
			}
		}
		o.mark |= markSync
		if spec.Pin {
			o.mark |= markPin
		}
	}
	if spec.Gives {
		o.mark |= markRelease
	}
}

// place is a position in rewritten code, and the library function that it calls there.
type place struct {
	file         string
	line, column int
	expr         string
	call         string // the function's symbol name, "" for none
	lock         bool   // the function is a lock's method
	user         bool   // the position is in rewritten code
}

func (n *Namer) place(ev *trace.Event) (p place) {
	if t, ok := n.Symbols.Site(ev.Site); ok {
		return place{file: t.File, line: t.Line, column: t.Column, expr: t.Expr, user: true}
	}
	n.Symbols.Refresh()
	for f := range n.Symbols.Walk(ev.Stack) {
		if f.File == "<autogenerated>" {
			continue
		}
		p.file, p.line = f.File, f.Line
		if p.user = n.Symbols.Rewritten(f); p.user {
			p.lock = symbolize.IsLock(p.call)
			return p
		}
		p.call = f.Func
	}
	p.call = ""
	if f, ok := n.Symbols.LockCaller(ev.Stack); ok {
		p.file, p.line = f.File, f.Line
	}
	return p
}

// finish makes steps of the operations.
func (m *maker) finish() {
	begun := sections{}
	names := map[trace.Addr]string{}
	for i := range m.ops {
		o := &m.ops[i]
		o.name(m.n)
		switch spec := o.event.Kind.Spec(); {
		case spec.Opens:
			begun.add(&o.event, i)
			if o.Name != "" {
				names[o.event.Addr] = o.Name
			}
			o.Name = names[o.event.Addr]
		case spec.Closes:
			if begin := begun.end(&o.event); begin >= 0 {
				m.ends(o, &m.ops[begin])
			}
		}
	}
}

// ends gives the end of a section a position, which is not recorded: mostly the function that takes
// a lock gives it back at one place.
func (m *maker) ends(o, begin *operation) {
	o.user = o.user || begin.user
	o.must = o.must || begin.must
	if o.Name == "" {
		o.Name = begin.Name
	}
	if o.File == "" {
		if line := m.n.Symbols.Unlock(begin.File, begin.Line, begin.Name); line > 0 {
			o.File, o.Line = begin.File, line
		}
	}
}

// sections are the steps that began sections that are still open.
type sections map[sectionOf][]int

type sectionOf struct {
	g    trace.G
	lock trace.Addr
}

func (s sections) add(ev *trace.Event, i int) {
	k := sectionOf{ev.G, ev.Addr}
	s[k] = append(s[k], i)
}

// end is the step that began the section that ev ends, -1 if it is not known.
func (s sections) end(ev *trace.Event) int {
	k := sectionOf{ev.G, ev.Addr}
	list := s[k]
	if len(list) == 0 {
		return -1
	}
	s[k] = list[:len(list)-1]
	return list[len(list)-1]
}

// call is the call of the library that began the section that ev ends, -1 if none did.
func (s sections) call(ops []operation, ev *trace.Event) int {
	list := s[sectionOf{ev.G, ev.Addr}]
	if len(list) == 0 {
		return -1
	}
	if o := &ops[list[len(list)-1]]; o.call == "" || o.lock {
		return -1
	}
	return s.end(ev)
}

// shown are the steps that the report has, (S4).
func (m *maker) shown(after map[int][]report.Edge, objects map[trace.Addr]int) (steps []report.Step) {
	to := make([]int, len(m.ops))
	for i := range m.ops {
		o := &m.ops[i]
		to[i] = -1
		if o.gone || !o.must && (!o.user || o.mark&markSync == 0 && o.half() || o.first.Site != 0 && o.first.Stack != 0 && o.mark&markAccess == 0) {
			continue
		}
		s := o.Step
		if last := len(steps) - 1; last >= 0 && goesOn(&steps[last], &s) {
			to[i] = last
			continue
		}
		to[i] = len(steps)
		if o.mark&markSync != 0 && o.mark&markMemory == 0 && o.event.Kind != trace.Fork {
			if objects[o.event.Addr] == 0 {
				objects[o.event.Addr] = len(objects) + 1
			}
			s.Object = objects[o.event.Addr]
		}
		for _, e := range after[i] {
			if e.Step = to[e.Step]; e.Step >= 0 {
				s.After = append(s.After, e)
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// goesOn reports whether a call of the library is at the place of the step before it, and of the
// same goroutine (S2).
func goesOn(before, s *report.Step) bool {
	return s.Op == "call" && before.Access == 0 && s.Access == 0 && before.Goroutine == s.Goroutine && before.Op == s.Op && before.Name == s.Name && before.File == s.File && before.Line == s.Line
}

// half reports whether the accesses of an operation are not the goroutine's own: those of the
// library function that it calls, or a channel's own access of an operation that has not ended.
func (o *operation) half() bool { return o.call != "" || o.Op == "send" || o.Op == "close" }

// short is a function's name as people write it: sync.WaitGroup.Done for sync.(*WaitGroup).Done.
func short(fn string) string {
	pkg, name := symbol.Split(fn)
	return path.Base(pkg) + "." + strings.NewReplacer("(*", "", ")", "").Replace(symbol.Readable(name))
}
