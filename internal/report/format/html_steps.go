package format

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// A timeline shows these steps of a list:
//
//	(D1) those in files of the module, the finding's own, and those that kept its accesses apart;
//	(D2) steps that repeat the one before them are one with it, and the number is shown;
//	(D3) of more than maxDrawn, those nearest to the finding's accesses in their goroutines. A gap
//	     says how many steps are left out there.
const maxDrawn = 24

// drawn is a step of a timeline.
type drawn struct {
	report.Step
	steps []int // of the list; several for (D2), and all that are left out of a gap
	gap   bool
	final bool // it comes after the schedule, beside the other ones that do
	waits bool // for ever
}

// pick picks the steps to draw. final are the last ones, which stand side by side.
func pick(list []report.Step, final []report.Step, waits bool) (out []drawn) {
	kept := map[int]bool{}
	for i := range list {
		for _, e := range list[i].After {
			if e.Kept {
				kept[i], kept[e.Step] = true, true
			}
		}
	}
	for i := range list {
		s := &list[i]
		if !kept[i] && s.Access == 0 && (s.File != "" && path.IsAbs(s.File) || s.File == "" && s.Name == "") { // (D1)
			continue
		}
		if n := len(out); n > 0 && again(&out[n-1].Step, s) && !kept[i] { // (D2)
			out[n-1].steps = append(out[n-1].steps, i)
			continue
		}
		out = append(out, drawn{Step: *s, steps: []int{i}})
	}
	out = nearest(out, kept, final)
	for i := range final {
		out = append(out, drawn{Step: final[i], final: true, waits: waits})
	}
	return out
}

func again(a, b *report.Step) bool {
	return a.Op != "go" && a.Access == 0 && b.Access == 0 && len(b.After) == 0 && a.Goroutine == b.Goroutine && a.Op == b.Op && a.Name == b.Name && a.File == b.File && a.Line == b.Line && a.Object == b.Object
}

// nearest is (D3). A section is drawn with its beginning and its end, or not at all.
func nearest(list []drawn, kept map[int]bool, final []report.Step) (out []drawn) {
	if len(list) <= maxDrawn {
		return list
	}
	far := distances(list, kept, final)
	for _, s := range sectionsOf(list) {
		all := far[s.from]
		for i := s.from; i <= s.to; i++ {
			if list[i].Goroutine == list[s.from].Goroutine {
				all = min(all, far[i])
			}
		}
		if all == 0 {
			far[s.from], far[s.to] = 0, 0
			continue
		}
		for i := s.from; i <= s.to; i++ {
			if list[i].Goroutine == list[s.from].Goroutine {
				far[i] = max(far[i], all+s.to-s.from)
			}
		}
	}
	sorted := slices.Clone(far)
	slices.Sort(sorted)
	within := sorted[maxDrawn-1]
	if within > 0 && sorted[maxDrawn] == within {
		within--
	}
	for i := range list {
		n := len(out)
		switch {
		case far[i] <= within:
			out = append(out, list[i])
		case n > 0 && out[n-1].gap:
			out[n-1].steps = append(out[n-1].steps, list[i].steps...)
		default:
			out = append(out, drawn{gap: true, steps: list[i].steps, Step: report.Step{Goroutine: list[i].Goroutine, Thread: list[i].Thread}})
		}
	}
	return out
}

// distances has for each step the number of steps of its goroutine up to the nearest one that is
// the finding's own, kept its accesses apart, or started a goroutine. The final steps come after
// all others.
func distances(list []drawn, kept map[int]bool, final []report.Step) []int {
	far := make([]int, len(list))
	for i := range far {
		far[i] = len(list)
	}
	last := map[int]int{} // by goroutine
	see := func(i int) {
		s := &list[i]
		d, ok := last[s.Goroutine]
		switch {
		case s.Access != 0 || kept[s.steps[0]] || s.Op == "go":
			d = 0
		case ok:
			d++
		default:
			d = len(list)
		}
		far[i] = min(far[i], d)
		last[s.Goroutine] = far[i]
	}
	for i := range list {
		see(i)
	}
	clear(last)
	for i := range final {
		last[final[i].Goroutine] = 0
	}
	for i := len(list) - 1; i >= 0; i-- {
		see(i)
	}
	return far
}

// sectionAt is a section of a list, from its lock to its unlock.
type sectionAt struct{ from, to int }

func sectionsOf(list []drawn) (all []sectionAt) {
	var open []int
	for i := range list {
		switch d := &list[i]; d.Op {
		case "lock", "rlock":
			open = append(open, i)
		case "unlock", "runlock":
			for k := len(open) - 1; k >= 0; k-- {
				if b := &list[open[k]]; b.Goroutine == d.Goroutine && b.Object == d.Object {
					all = append(all, sectionAt{open[k], i})
					open = slices.Delete(open, k, k+1)
					break
				}
			}
		}
	}
	return all
}

// label is a step in a few words, and where it is: a line of the main file, or of another one.
func (d *drawn) label(main string) (what, where string) {
	if d.gap {
		if len(d.steps) == 1 {
			return "1 step left out", ""
		}
		return fmt.Sprintf("%d steps left out", len(d.steps)), ""
	}
	if what = d.Op; d.waits {
		what = "waits: " + what
	}
	if d.Name != "" {
		what += " " + d.Name
	}
	if n := len(d.steps); n > 1 {
		what += fmt.Sprintf(" ×%d", n)
	}
	switch d.File {
	case "":
	case main:
		where = fmt.Sprintf(":%d", d.Line)
	default:
		where = fmt.Sprintf("%s:%d", path.Base(d.File), d.Line)
	}
	return what, where
}

// cut is s in at most maxLabel runes.
func cut(s string) string {
	r := []rune(s)
	if len(r) <= maxLabel {
		return s
	}
	return strings.TrimRight(string(r[:maxLabel-1]), " ") + "…"
}
