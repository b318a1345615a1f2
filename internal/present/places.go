package present

import "github.com/racepred/racepred/internal/report"

// pairKey is the unordered pair of places: each is reported once per run, whatever is done there (x++ reads and writes).
func pairKey(f *report.Finding) [2]place {
	p, q := placeOf(&f.Accesses[0]), placeOf(&f.Accesses[1])
	if q.less(p) {
		p, q = q, p
	}
	return [2]place{p, q}
}

type place struct {
	file         string
	line, column int
}

func placeOf(a *report.Access) place { return place{a.File, a.Line, a.Column} }

func (p place) less(q place) bool {
	if p.file != q.file {
		return p.file < q.file
	}
	if p.line != q.line {
		return p.line < q.line
	}
	return p.column < q.column
}
