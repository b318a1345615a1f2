package witness

// read is (P3).
func (p *closure) read(i int32) {
	if p.uncertain(i); p.why != "" {
		return
	}
	p.stores.writers(i, func(w int32) {
		p.include(w)
		if p.dropped && !p.certain && p.gnum[w] != p.gnum[i] { // (P11)
			p.want(p.gnum[w], p.spanEnd(w))
		}
	}, func(unseen []int32, _ int32) {
		p.includeAll(unseen)
		if p.dropped && !p.certain {
			p.endSpans(unseen, p.gnum[i])
		}
	})
}

func (r *saturation) read(i int32) bool {
	ok := true
	r.stores.writers(i, func(w int32) { ok = ok && r.edge(w, i) }, func(unseen []int32, from int32) {
		for _, u := range unseen {
			ok = ok && r.edge(u, i) && (from < 0 || r.edge(from, u))
		}
		ok = ok && r.inOrder(unseen, i)
	})
	return ok
}
