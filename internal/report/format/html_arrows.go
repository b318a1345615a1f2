package format

import (
	"fmt"

	"github.com/racepred/racepred/internal/report"
)

// openBox is a section that has not ended.
type openBox struct {
	goroutine, object, from int // the drawn step that began it
	name                    string
}

// sections are (L2) and (L5).
func (l *layout) sections() {
	depth := func(g int) (n int) {
		for _, b := range l.open {
			if b.goroutine == g {
				n++
			}
		}
		return n
	}
	for i := range l.list {
		d := &l.list[i]
		switch d.Op {
		case "lock", "rlock":
			if !d.final && !d.gap {
				l.open = append(l.open, openBox{d.Goroutine, d.Object, i, d.Name})
			}
		case "unlock", "runlock":
			for k := len(l.open) - 1; k >= 0; k-- {
				if b := l.open[k]; b.goroutine == d.Goroutine && b.object == d.Object {
					l.box(b, l.row[i], false, depth(d.Goroutine)-1)
					l.open = append(l.open[:k], l.open[k+1:]...)
					break
				}
			}
		}
	}
	for k, b := range l.open {
		n := 0
		for _, c := range l.open[:k] {
			if c.goroutine == b.goroutine {
				n++
			}
		}
		l.box(b, l.count-1, true, n)
	}
	l.waits()
}

func (l *layout) box(b openBox, to int, open bool, depth int) {
	half := boxHalf - 3*min(depth, 2)
	y := l.y(l.row[b.from]) - 10
	x := box{X: l.x(b.goroutine) - half, Y: y, W: 2 * half, H: l.y(to) + 10 - y, Color: b.object % boxColors, Open: open, Title: "holds " + b.name}
	if open {
		x.H += 6
	}
	if b.name == "" {
		x.Title = "holds a lock"
	}
	l.t.Boxes = append(l.t.Boxes, x)
}

const boxColors = 6

// waits draws (L5): from each goroutine that waits to the one that holds the lock; if no step says
// which one holds it, to the next one.
func (l *layout) waits() {
	var final []int
	for i := range l.list {
		if d := &l.list[i]; d.final && (d.Op == "lock" || d.Op == "rlock") {
			final = append(final, i)
		}
	}
	for k, i := range final {
		d := &l.list[i]
		to := -1
		for _, b := range l.open {
			if d.Object != 0 && b.object == d.Object && b.goroutine != d.Goroutine {
				to = b.goroutine
			}
		}
		if to < 0 && len(final) > 1 {
			to = l.list[final[(k+1)%len(final)]].Goroutine
		}
		if to < 0 || to == d.Goroutine {
			continue
		}
		x1, y1, x2 := l.x(d.Goroutine), l.y(l.row[i]), l.x(to)
		lift := 14 + 5*k
		l.t.Arrows = append(l.t.Arrows, arrow{
			Path:  fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1-8, x1, y1-8-lift, x2, y1-8-lift, x2+toward(x2, x1)*2, y1-10),
			Class: "waits", Title: "waits for " + l.lanes[l.lane(to)].Name,
		})
	}
}

// arrows are (L3), but for those that start a goroutine.
func (l *layout) arrows() {
	for i := range l.list {
		d := &l.list[i]
		if d.gap {
			continue
		}
		for _, e := range d.After {
			from, ok := l.at[e.Step]
			if !ok || from == i || l.list[from].Goroutine == d.Goroutine || e.Why == report.ByStart && !e.Kept {
				continue
			}
			a := arrow{Class: string(e.Why), Title: arrowTitles[e.Why]}
			if e.Kept {
				a.Class += " kept"
				a.Title += ": this kept it from happening"
			}
			a.Path = l.path(from, i)
			l.t.Arrows = append(l.t.Arrows, a)
		}
	}
}

var arrowTitles = map[report.Why]string{
	report.ByStart: "starts the goroutine",
	report.ByEnd:   "waits for the goroutine's end",
	report.BySync:  "waits for it",
	report.ByLock:  "takes the lock after it was given back",
	report.ByOrder: "looks at what it changed",
}

// path is a line from one mark to another one below that crosses no words: a row has one step, and
// its words are on the right of its mark.
func (l *layout) path(from, to int) string {
	x1, y1 := l.x(l.list[from].Goroutine), l.y(l.row[from])
	x2, y2 := l.x(l.list[to].Goroutine), l.y(l.row[to])
	if x1 < x2 {
		return fmt.Sprintf("M%d %dV%dQ%d %d %d %dH%d", x1, y1, y2-9, x1, y2, x1+9, y2, x2-8)
	}
	return fmt.Sprintf("M%d %dH%dQ%d %d %d %dV%d", x1, y1, x2+9, x2, y1, x2, y1+9, y2-8)
}
