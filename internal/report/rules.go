package report

import "slices"

// AddRules adds the counts of more, which may have rules that to has not.
func AddRules(to, more []Rule) []Rule {
	for _, m := range more {
		i := slices.IndexFunc(to, func(r Rule) bool { return r.Predictor == m.Predictor && r.Rule == m.Rule })
		if i < 0 {
			to = append(to, m)
			continue
		}
		to[i].Fired += m.Fired
	}
	return to
}
