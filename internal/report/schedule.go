package report

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// How a witness is drawn:
//
// (P1) time runs downwards, one line a step, one column a goroutine;
// (P2) the last line holds the racing accesses side by side, marked with ">>";
// (P3) only the last maxSteps steps are drawn, and it is said how many are not;
// (P4) when the columns do not fit into maxWidth the goroutine is named on
// each line instead;
// (P5) a file is named by its base name unless two files of the drawing share it.
const (
	maxSteps = 24
	maxWidth = 100
)

// schedule draws the witness of f.
func (t *text) schedule(f *Finding) {
	steps := withoutFinal(f.Witness.Steps, f.Accesses)
	t.add("A schedule of the same run that shows it (time runs downwards):\n")
	if skip := len(steps) - maxSteps; skip > 0 { // (P3)
		t.add("  ... ", strconv.Itoa(skip), " steps before that are left out\n")
		steps = steps[skip:]
	}
	d := drawing{names: t.fileNames(steps, f.Accesses)}
	for _, s := range steps {
		d.cell(s, "   ")
	}
	last := len(d.rows)
	for i := range f.Accesses { // (P2)
		a := &f.Accesses[i]
		d.cell(Step{Goroutine: a.Goroutine, Op: a.Op, File: a.File, Line: a.Line}, ">> ")
	}
	if d.width() <= maxWidth {
		d.columns(t, last)
		return
	}
	for _, r := range d.rows { // (P4)
		t.add("  ", r.text[:3], goroutineName(d.goroutines[r.column]), ": ", r.text[3:], "\n")
	}
}

// withoutFinal leaves out the steps at the end that are the racing accesses
// themselves: they are drawn side by side instead.
func withoutFinal(steps []Step, accesses []Access) []Step {
	for range accesses {
		n := len(steps)
		if n == 0 || !isAccess(steps[n-1], accesses) {
			break
		}
		steps = steps[:n-1]
	}
	return steps
}

func isAccess(s Step, accesses []Access) bool {
	for i := range accesses {
		a := &accesses[i]
		if s.Goroutine == a.Goroutine && s.File == a.File && s.Line == a.Line && s.Op == a.Op {
			return true
		}
	}
	return false
}

// fileNames maps each file of the drawing to the name it is shown by. (P5)
func (t *text) fileNames(steps []Step, accesses []Access) map[string]string {
	byBase := map[string]string{}
	names := map[string]string{}
	note := func(file string) {
		base := file[strings.LastIndexAny(file, `/\`)+1:]
		names[file] = base
		if other, ok := byBase[base]; ok && other != file {
			names[file], names[other] = t.rel(file), t.rel(other)
			return
		}
		byBase[base] = file
	}
	for _, s := range steps {
		note(s.File)
	}
	for i := range accesses {
		note(accesses[i].File)
	}
	return names
}

// drawing is a schedule in cells.
type drawing struct {
	names      map[string]string
	goroutines []int // the columns, in order of first appearance
	widths     []int
	rows       []row
}

type row struct {
	column int
	text   string // mark (3 bytes) and step
}

func (d *drawing) cell(s Step, mark string) {
	text := mark + s.Op
	if s.File != "" {
		text += " " + d.names[s.File] + ":" + strconv.Itoa(s.Line)
	}
	col := -1
	for i, g := range d.goroutines {
		if g == s.Goroutine {
			col = i
		}
	}
	if col < 0 {
		col = len(d.goroutines)
		d.goroutines = append(d.goroutines, s.Goroutine)
		d.widths = append(d.widths, 3+len(goroutineName(s.Goroutine)))
	}
	d.widths[col] = max(d.widths[col], utf8.RuneCountInString(text))
	d.rows = append(d.rows, row{col, text})
}

// gap separates two columns.
const gap = 2

func (d *drawing) width() int {
	total := 0
	for _, w := range d.widths {
		total += w + gap
	}
	return total
}

// columns draws the rows one a line, those from last on all in one line. (P1, P2)
func (d *drawing) columns(t *text, last int) {
	cells := make([]string, len(d.goroutines))
	for i, g := range d.goroutines {
		cells[i] = "   " + goroutineName(g)
	}
	d.line(t, cells)
	for i, r := range d.rows {
		if i <= last || cells[r.column] != "" {
			if i > last {
				d.line(t, cells) // a second access of one goroutine
			}
			clear(cells)
		}
		cells[r.column] = r.text
		if i < last {
			d.line(t, cells)
		}
	}
	d.line(t, cells)
}

func (d *drawing) line(t *text, cells []string) {
	var line strings.Builder
	for i, c := range cells {
		line.WriteString(c)
		line.WriteString(strings.Repeat(" ", d.widths[i]+gap-utf8.RuneCountInString(c)))
	}
	t.add(strings.TrimRight(line.String(), " "), "\n")
}
