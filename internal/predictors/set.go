package predictors

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/hb"
	"github.com/racepred/racepred/internal/predict/hbwcp"
	"github.com/racepred/racepred/internal/predict/ipa"
	"github.com/racepred/racepred/internal/predict/wcp"
	"github.com/racepred/racepred/internal/trace"
)

// Set is predictors that take in one run together.
type Set struct {
	HB   *hb.Predictor // among them, always
	list []predict.Predictor
}

// New makes the predictors of those names, in the order of the table and each once, and
// happens-before; no names are those of Default. The memory of cfg is shared out among them by
// their shares. A name that is not in the table is an error.
func New(names []string, cfg predict.Config, sink func(predict.Candidate)) (*Set, error) {
	if names == nil {
		names = Default()
	}
	for _, name := range names {
		if _, err := ByName(name); err != nil {
			return nil, err
		}
	}
	runs := func(r *Row) bool { return r.Name == hb.Name || slices.Contains(names, r.Name) }
	shares := 0
	for i := range Table {
		if r := &Table[i]; runs(r) {
			shares += r.Share
		}
	}
	part := func(r *Row) predict.Config {
		c := cfg
		c.Memory = cfg.Memory / shares * r.Share
		return c
	}
	s := &Set{}
	beside := runs(&Table[place(wcp.Name)]) && runs(&Table[place(ipa.Name)])
	for i := range Table {
		if r := &Table[i]; runs(r) && r.Name != hb.Name && r.Name != wcp.Name && !(beside && r.Name == ipa.Name) {
			s.list = append(s.list, r.New(part(r), sink))
		}
	}
	// Happens-before comes last, so that it is known by then what others say of what it shows (predict.Schedulable).
	h, w := &Table[place(hb.Name)], &Table[place(wcp.Name)]
	if runs(w) {
		both := hbwcp.New(part(h), part(w), sink)
		if beside {
			both.With(part(&Table[place(ipa.Name)]), sink)
		}
		s.HB, s.list = both.HB, append(s.list, both)
	} else {
		s.HB = hb.New(part(h), sink)
		s.list = append(s.list, s.HB)
	}
	return s, nil
}

// One makes a predictor that runs by itself, to compare with. It panics if none has that name.
func One(name string, cfg predict.Config, sink func(predict.Candidate)) predict.Predictor {
	r, err := ByName(name)
	if err != nil {
		panic("internal error: predictors: " + err.Error())
	}
	return r.New(cfg, sink)
}

// Event gives the next event to all.
func (s *Set) Event(seq trace.Seq, ev *trace.Event) {
	for _, p := range s.list {
		p.Event(seq, ev)
	}
}

// Stats are the totals of all.
func (s *Set) Stats() (sum predict.Stats) {
	for _, p := range s.list {
		sum.Add(p.Stats())
	}
	return sum
}

// Rules are those of all, in the order of the table.
func (s *Set) Rules() (list []predict.Rule) {
	for _, p := range s.list {
		list = append(list, p.Rules()...)
	}
	slices.SortStableFunc(list, func(a, b predict.Rule) int { return place(a.By) - place(b.By) })
	return list
}
