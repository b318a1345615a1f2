package report

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// How a witness is drawn:
//
// (P1) time runs downwards, one line a step, one column a goroutine;
// (P2) the last line holds the racing accesses side by side, marked with ">>"; those that the
// schedule has in it are marked where they are;
// (P3) of the steps before, those are drawn that come after the racing
// goroutines were started and that lie beneath the root, and of these the last
// maxSteps; it is said how many are not drawn;
// (P4) when the columns do not fit into maxWidth the goroutine is named on
// each line instead;
// (P5) a file is named by its base name unless two files of the drawing share it;
// (P6) what a step is done to is named if that is short, and the columns fit.
const (
	maxSteps = 24
	maxWidth = 100
	maxName  = 24
)

// Final are the accesses that come after the finding's schedule, beside each other, as steps.
func (f *Finding) Final() (steps []Step) {
	for i := kinds[f.Kind].executed; i < len(f.Accesses); i++ {
		a := &f.Accesses[i]
		s := Step{Goroutine: a.Goroutine, Thread: a.Thread, Op: a.Op, Name: a.Expr, File: a.File, Line: a.Line, Access: i + 1}
		if f.Run != nil {
			for k := range f.Run.Steps {
				if r := &f.Run.Steps[k]; r.Access == s.Access {
					s.Object, s.Event = r.Object, r.Event
				}
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// schedule draws the witness of f.
func (t *text) schedule(f *Finding) {
	final := f.Accesses[kinds[f.Kind].executed:]
	all := withoutFinal(f.Witness.Steps, final)
	steps := t.worthDrawing(all, f.Accesses) // (P3)
	marked := executed(steps, f.Accesses[:len(f.Accesses)-len(final)])
	t.add("A schedule of the same run that shows it (time runs downwards")
	if left := len(all) - len(steps); left > 0 {
		t.add("; ", strconv.Itoa(left), " steps before and elsewhere are left out")
	}
	t.add("):\n")
	var d drawing
	for _, named := range []bool{true, false, true} { // (P6)
		d = drawing{names: t.fileNames(steps, f.Accesses), named: named}
		for i, s := range steps {
			mark := "   "
			if marked[i] {
				mark = ">> "
			}
			d.cell(s, mark)
		}
		last := len(d.rows)
		for i := range final { // (P2)
			a := &final[i]
			d.cell(Step{Goroutine: a.Goroutine, Thread: a.Thread, Op: a.Op, File: a.File, Line: a.Line, Name: a.Expr}, ">> ")
		}
		if d.width() <= maxWidth {
			d.columns(t, last)
			return
		}
	}
	for _, r := range d.rows { // (P4)
		t.add("  ", r.text[:3], d.threads[r.column], ": ", r.text[3:], "\n")
	}
}

// worthDrawing picks the steps of (P3). An unlock has no position of its own
// and is drawn when its lock is.
func (t *text) worthDrawing(steps []Step, accesses []Access) []Step {
	steps = steps[started(steps, accesses):]
	var out []Step
	drawn := map[int][]bool{} // for each goroutine, whether the locks it holds are drawn
	for _, s := range steps {
		keep := t.root == "" || Rel(t.root, s.File) != s.File || isRelative(s.File)
		switch held := drawn[s.Goroutine]; {
		case s.Op == "lock" || s.Op == "rlock":
			drawn[s.Goroutine] = append(held, keep)
		case (s.Op == "unlock" || s.Op == "runlock") && len(held) > 0:
			if s.File == "" {
				keep = held[len(held)-1]
			}
			drawn[s.Goroutine] = held[:len(held)-1]
		}
		if keep {
			out = append(out, s)
		}
	}
	return out[max(0, len(out)-maxSteps):]
}

func isRelative(file string) bool {
	return file != "" && file[0] != '/' && file[0] != '\\' && !strings.Contains(file, ":")
}

// started is the index of the step that starts the first of the racing
// goroutines, as far as their creation is known; 0 otherwise.
func started(steps []Step, accesses []Access) int {
	first := len(steps)
	for i := range accesses {
		at := 0
		for _, c := range accesses[i].Created {
			if j := lastStart(steps, c); j >= 0 {
				at = j
				break
			}
		}
		if len(accesses[i].Created) > 0 {
			first = min(first, at)
		}
	}
	if first == len(steps) {
		return 0
	}
	return first
}

// lastStart is the index of the last step that starts a goroutine at frame c.
func lastStart(steps []Step, c Frame) int {
	for j := len(steps) - 1; j >= 0; j-- {
		if s := &steps[j]; s.Op == "go" && s.File == c.File && s.Line == c.Line {
			return j
		}
	}
	return -1
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

// executed are the indices of the steps that are the accesses, one after the other, as far as they
// are there.
func executed(steps []Step, accesses []Access) map[int]bool {
	marked := map[int]bool{}
	at := len(steps)
	for i := len(accesses) - 1; i >= 0; i-- {
		for at--; at >= 0 && !isAccess(steps[at], accesses[i:i+1]); {
			at--
		}
		if at < 0 {
			break
		}
		marked[at] = true
	}
	return marked
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
	named      bool  // what steps are done to is
	goroutines []int // the columns, in order of first appearance
	threads    []string
	widths     []int
	rows       []row
}

type row struct {
	column int
	text   string // mark (3 bytes) and step
}

func (d *drawing) cell(s Step, mark string) {
	text := mark + s.Op
	if s.Name != "" && len(s.Name) <= maxName && (d.named || s.Op == "call") {
		text += " " + s.Name
	}
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
		d.threads = append(d.threads, GoroutineName(s.Thread, s.Goroutine))
		d.widths = append(d.widths, 3+utf8.RuneCountInString(d.threads[col]))
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
	for i, name := range d.threads {
		cells[i] = "   " + name
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
