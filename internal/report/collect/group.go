package collect

import (
	"cmp"
	"slices"

	"github.com/racepred/racepred/internal/report"
)

// grouped are the findings by (M1) and (M7): of each group one, by (M2), with the places of the
// others.
func grouped(all []report.Finding) (list []report.Finding) {
	same := joins{}
	byPlace := map[string]string{} // (M1) by position, a group that has it
	for i := range all {
		f := &all[i]
		for _, place := range append(placesAlso(f), positions(f)) {
			if other, ok := byPlace[place]; ok { // with another fingerprint, as of a function that was inlined in one of two processes
				same.join(groupOf(f), other)
			}
			byPlace[place] = groupOf(f)
		}
	}
	groups := map[string]*group{}
	var order []*group
	for i := range all {
		f := &all[i]
		key := same.of(groupOf(f))
		g := groups[key]
		if g == nil {
			g = &group{best: f, places: map[string]report.Places{}}
			groups[key] = g
			order = append(order, g)
		}
		g.add(f)
	}
	for _, g := range order {
		list = append(list, g.finding())
	}
	return list
}

// joins are sets of keys: each key leads to another one of its set, or to itself.
type joins map[string]string

// of is the key that names the set which key is in.
func (j joins) of(key string) string {
	for j[key] != "" && j[key] != key {
		key = j[key]
	}
	return key
}

func (j joins) join(a, b string) { j[j.of(a)] = j.of(b) }

// groupOf is the key of (M7): findings with the same key are one.
func groupOf(f *report.Finding) string {
	key := f.Subject()
	if key == "" {
		return positions(f)
	}
	if f.Waived != "" {
		key += "|waived"
	}
	return key
}

// group has the findings that become one.
type group struct {
	best   *report.Finding
	by     []string
	places map[string]report.Places // by placeOf
}

func (g *group) add(f *report.Finding) {
	if before(f, g.best) {
		g.best = f
	}
	g.by = append(g.by, f.By...)
	g.place(f.Kind, placesIn(f))
	for _, p := range f.Also {
		g.place(f.Kind, p)
	}
}

// placeOf tells the places of a group apart: those of one variable by their positions, and the
// others, which have one position, by their packages.
func placeOf(k report.Kind, p report.Places) string {
	if !k.OfVariable() {
		return p.Package
	}
	return placesOf(k, p.Accesses)
}

// place notes that the finding was seen at p. Of the places that are the same, the entry that (M2)
// prefers stays.
func (g *group) place(k report.Kind, p report.Places) {
	key := placeOf(k, p)
	if old, ok := g.places[key]; !ok || comparePlaces(p, old) < 0 {
		g.places[key] = p
	}
}

func comparePlaces(p, q report.Places) int {
	written := func(p report.Places) (n int) {
		for _, a := range p.Accesses {
			n += boolean(isWrite(a.Op))
		}
		return n
	}
	return cmp.Or(boolean(q.Verdict.Surer(p.Verdict))-boolean(p.Verdict.Surer(q.Verdict)), written(q)-written(p), cmp.Compare(p.Package, q.Package), cmp.Compare(p.Test, q.Test), compareAccesses(p, q))
}

func compareAccesses(p, q report.Places) int {
	return slices.CompareFunc(p.Accesses, q.Accesses, func(a, b report.Place) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Expr, b.Expr))
	})
}

func (g *group) finding() report.Finding {
	f := *g.best
	slices.Sort(g.by)
	f.By, f.Also = slices.Compact(g.by), nil
	own := placeOf(f.Kind, placesIn(&f))
	for key, p := range g.places {
		if key != own {
			f.Also = append(f.Also, p)
		}
	}
	slices.SortFunc(f.Also, func(p, q report.Places) int { return cmp.Or(compareAccesses(p, q), comparePlaces(p, q)) })
	return f
}

// placesAlso are the positions beside those of a finding's accesses, as positions.
func placesAlso(f *report.Finding) (list []string) {
	if !f.Kind.OfVariable() { // they are at the same one
		return nil
	}
	for i := range f.Also {
		list = append(list, placesOf(f.Kind, f.Also[i].Accesses))
	}
	return list
}

// placesIn are those of a finding's own accesses.
func placesIn(f *report.Finding) report.Places {
	p := report.Places{Verdict: f.Verdict, Package: f.Package, Test: f.Test}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		p.Accesses = append(p.Accesses, report.Place{Op: a.Op, File: a.File, Line: a.Line, Column: a.Column, Expr: a.Expr})
	}
	return p
}

// placesOf is as positions.
func placesOf(k report.Kind, places []report.Place) string {
	list := make([]string, len(places))
	for i, p := range places {
		a := report.Access{File: p.File, Line: p.Line, Column: p.Column}
		list[i] = a.Position(k)
	}
	return joined(k, list)
}
