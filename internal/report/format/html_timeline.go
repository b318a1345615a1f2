package format

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/racepred/racepred/internal/report"
)

// A timeline is a list of steps as a picture: time runs downwards, a lane for each goroutine, the
// same ones in both pictures of a finding.
//
//	(L1) a step is a mark in its lane with what it does beside it, a row each; the last ones of a
//	     schedule share a row;
//	(L2) a critical section is a box from its lock to its unlock, of one colour for each lock, and
//	     open below if it goes on;
//	(L3) an arrow leads from a step to a step of another lane that waits for it. Arrows by which the
//	     run kept the finding's accesses apart are strong;
//	(L4) a lane begins where its goroutine is started, if that is drawn;
//	(L5) a goroutine that waits for ever has an arrow to the box of the lock that it waits for.
type timeline struct {
	Title, Text string
	File        string // whose lines have no name beside them
	Run         bool   // it is what the run did
	Stepped     bool   // the one to go through
	W, H        int
	Lanes       []lane
	LaneTop     int
	LaneEnds    []laneEnd
	Boxes       []box
	Arrows      []arrow
	Marks       []mark
	Link        *link
}

// lane is a goroutine of a finding's timelines.
type lane struct {
	Goroutine int
	Name      string
	Color     int
	X, W      int
	Since     string // where it was started
}

type laneEnd struct{ X, Y1, Y2, Color int }

type box struct {
	X, Y, W, H, Color int
	Open              bool
	Title             string
}

type arrow struct {
	Path, Class, Title string
}

type mark struct {
	X, Y         int
	TextX, TextY int
	What, Where  string
	Title        string
	Class        string
	Access       int
	Event        string // "" for what is no event of the run
	Goroutine    int
	Lane         int
	File         string
	Line         int
	Gap          bool
}

type link struct{ X1, X2, Y int }

// Sizes, in pixels.
const (
	rowHeight  = 27
	headHeight = 40
	charWidth  = 7
	markAt     = 22 // from the lane's left
	textAt     = 17 // from the mark
	boxHalf    = 12
	minLane    = 128
	nameEdges  = 18 // left and right of a lane's name
	maxLabel   = 34
)

// timelines are the lanes of a finding, and its two pictures: the run, and the schedule.
func timelines(f *report.Finding) (lanes []lane, list []*timeline) {
	var lists [][]drawn
	add := func(t *timeline, steps, final []report.Step) {
		if d := pick(steps, final, f.Kind.Waits()); len(d) > 0 {
			list = append(list, t)
			lists = append(lists, d)
		}
	}
	final := f.Final()
	waits := waitsNow(f)
	if f.Run != nil || waits {
		var ran []report.Step
		if f.Run != nil {
			ran = f.Run.Steps
		}
		var last []report.Step
		if waits {
			last = final
		}
		add(&timeline{Title: "What the run did", Run: true, Text: runText(f)}, ran, last)
	}
	if f.Witness != nil {
		add(&timeline{Title: "A schedule that shows it", Text: "The same events in an order that the program allows as well."}, f.Witness.Steps, final)
	}
	if len(list) == 0 {
		return nil, nil
	}
	list[len(list)-1].Stepped = true
	main := mainFile(lists)
	lanes = lanesOf(f, lists, main)
	for i, t := range list {
		t.File = main
		t.draw(f, lists[i], with(lanes, lists[i]))
	}
	return lanes, list
}

func runText(f *report.Finding) string {
	kept := false
	if f.Run != nil {
		for i := range f.Run.Steps {
			kept = kept || slices.ContainsFunc(f.Run.Steps[i].After, func(e report.Edge) bool { return e.Kept })
		}
	}
	switch {
	case waitsNow(f):
		return "And there it stands."
	case f.Verdict == report.Observed && f.Kind == report.Race:
		return "No chain of arrows leads from one access to the other: nothing orders them."
	case f.Verdict == report.Observed:
		return "It happened."
	case kept:
		return "The strong arrows kept it from happening, in this run."
	}
	return "In this order it did not happen."
}

// waitsNow reports whether the finding's goroutines wait in the run itself, and not in another
// order of it.
func waitsNow(f *report.Finding) bool {
	return f.Kind.Waits() && f.Witness == nil && (f.Verdict == report.Observed || f.Run != nil)
}

// lanesOf are the goroutines in the order in which they appear. A lane is wide enough for its
// words.
func lanesOf(f *report.Finding, lists [][]drawn, main string) (lanes []lane) {
	at := map[int]int{}
	for _, list := range lists {
		for i := range list {
			d := &list[i]
			n, ok := at[d.Goroutine]
			if !ok {
				n = len(lanes)
				at[d.Goroutine] = n
				name := report.GoroutineName(d.Thread, d.Goroutine)
				lanes = append(lanes, lane{Goroutine: d.Goroutine, Name: name, W: max(minLane, nameEdges+charWidth*utf8.RuneCountInString(name)), Color: n % laneColors})
			}
			what, where := d.label(main)
			wide := markAt + textAt + charWidth*(utf8.RuneCountInString(cut(what))+utf8.RuneCountInString(where)+2) + 10
			lanes[n].W = max(lanes[n].W, wide)
		}
	}
	for i := range lanes {
		for k := range f.Accesses {
			if a := &f.Accesses[k]; a.Goroutine == lanes[i].Goroutine && len(a.Created) > 0 {
				lanes[i].Since = fmt.Sprintf("started at %s:%d", a.Created[0].File, a.Created[0].Line)
			}
		}
	}
	return lanes
}

const laneColors = 6

// with are the lanes that a list has a step in, side by side.
func with(lanes []lane, list []drawn) (some []lane) {
	x := 0
	for _, l := range lanes {
		if slices.ContainsFunc(list, func(d drawn) bool { return d.Goroutine == l.Goroutine }) {
			l.X = x
			x += l.W
			some = append(some, l)
		}
	}
	return some
}

// mainFile is the file that most steps are in: its lines need no name.
func mainFile(lists [][]drawn) (main string) {
	count := map[string]int{}
	for _, list := range lists {
		for i := range list {
			if f := list[i].File; f != "" {
				if count[f]++; count[f] > count[main] || count[f] == count[main] && f < main {
					main = f
				}
			}
		}
	}
	return main
}

func laneOf(lanes []lane, g int) int {
	for i := range lanes {
		if lanes[i].Goroutine == g {
			return lanes[i].Color
		}
	}
	return 0
}

// draw lays the steps out.
func (t *timeline) draw(f *report.Finding, list []drawn, lanes []lane) {
	l := layout{t: t, list: list, lanes: lanes, row: make([]int, len(list)), at: map[int]int{}, starts: starts(f)}
	l.rows()
	l.marks(f)
	l.sections()
	l.arrows()
	l.ends()
	last := lanes[len(lanes)-1]
	t.Lanes = lanes
	t.W, t.H, t.LaneTop = last.X+last.W, l.y(l.count)+2, headHeight-8
}

// layout is a timeline being laid out.
type layout struct {
	t     *timeline
	list  []drawn
	lanes []lane
	row   []int       // by drawn step
	at    map[int]int // by step of the list, the drawn one
	count int         // rows
	open  []openBox

	starts map[int]uint64 // by goroutine, the event that started it
}

// starts are the events that started a finding's goroutines, as far as a list of its steps has
// them.
func starts(f *report.Finding) map[int]uint64 {
	by := map[int]uint64{}
	note := func(steps []report.Step) {
		for i := range steps {
			for _, e := range steps[i].After {
				if e.Why == report.ByStart && e.Step >= 0 && e.Step < len(steps) {
					by[steps[i].Goroutine] = steps[e.Step].Event
				}
			}
		}
	}
	if f.Witness != nil {
		note(f.Witness.Steps)
	}
	if f.Run != nil {
		note(f.Run.Steps)
	}
	return by
}

func (l *layout) rows() {
	final := -1
	for i := range l.list {
		d := &l.list[i]
		for _, s := range d.steps {
			l.at[s] = i
		}
		if d.final && final >= 0 && !l.sameLane(final, i) {
			l.row[i] = l.row[final]
			continue
		}
		l.row[i] = l.count
		l.count++
		if d.final {
			final = i
		}
	}
}

// sameLane reports whether one of the final steps from first on to before i has the lane of i.
func (l *layout) sameLane(first, i int) bool {
	return slices.ContainsFunc(l.list[first:i], func(d drawn) bool { return d.Goroutine == l.list[i].Goroutine })
}

func (l *layout) y(row int) int { return headHeight + rowHeight/2 + row*rowHeight }

func (l *layout) lane(g int) int {
	return slices.IndexFunc(l.lanes, func(x lane) bool { return x.Goroutine == g })
}

func (l *layout) x(g int) int { return l.lanes[l.lane(g)].X + markAt }

func (l *layout) marks(f *report.Finding) {
	var ends []int
	for i := range l.list {
		d := &l.list[i]
		what, where := d.label(l.t.File)
		m := mark{
			X: l.x(d.Goroutine), Y: l.y(l.row[i]), What: cut(what), Where: where, Access: d.Access, Goroutine: d.Goroutine, Lane: l.lanes[l.lane(d.Goroutine)].Color,
			File: d.File, Line: d.Line, Gap: d.gap, Class: "sync",
		}
		m.TextX, m.TextY = m.X+textAt, m.Y+4
		switch {
		case d.gap:
			m.Class = "gap"
		case d.Access != 0:
			m.Class = "own"
			ends = append(ends, i)
		case d.Object == 0 && d.Op != "go":
			m.Class = "plain"
		}
		if d.waits {
			m.Class += " waits"
		}
		if !d.gap && !d.final || d.Event != 0 {
			m.Event = fmt.Sprint(d.Event)
		}
		m.Title = what
		if d.File != "" {
			m.Title += fmt.Sprintf(" at %s:%d", d.File, d.Line)
		}
		l.t.Marks = append(l.t.Marks, m)
	}
	if f.Kind.Waits() || len(ends) < 2 || l.row[ends[0]] != l.row[ends[len(ends)-1]] {
		return
	}
	a, b := l.x(l.list[ends[0]].Goroutine), l.x(l.list[ends[len(ends)-1]].Goroutine)
	l.t.Link = &link{min(a, b), max(a, b), l.y(l.row[ends[0]]) + 7}
}

// ends are the lanes' lines, (L4).
func (l *layout) ends() {
	for i := range l.lanes {
		x := l.lanes[i].X + markAt
		last, y := l.count-1, headHeight-8
		for from := range l.list {
			if d := &l.list[from]; d.Op == "go" && d.Event != 0 && d.Event == l.starts[l.lanes[i].Goroutine] {
				by := l.x(l.list[from].Goroutine)
				y = l.y(l.row[from]) + rowHeight/2
				l.t.Arrows = append(l.t.Arrows, arrow{
					Path: fmt.Sprintf("M%d %dQ%d %d %d %dH%d", by, y-rowHeight/2, by, y, by+toward(by, x), y, x-toward(by, x)/7), Class: "start", Title: "starts " + l.lanes[i].Name,
				})
			}
		}
		l.t.LaneEnds = append(l.t.LaneEnds, laneEnd{x, y, l.y(last) + 8, l.lanes[i].Color})
	}
}

// toward is how far an arrow to x ends before it.
func toward(from, x int) int {
	if from < x {
		return 7
	}
	return -7
}
