package witness

import (
	"github.com/racepred/racepred/internal/trace"
)

// reach identifies a list of events by where it begins in memory, so that lists with a common
// beginning are one.
type reach struct {
	list *int32
}

// includeAll puts the events of the list into the set. It looks at the common beginning of two
// lists only once.
func (p *closure) includeAll(list []int32) {
	if len(list) == 0 {
		return
	}
	k := reach{&list[0]}
	if p.trial != nil {
		p.trial.reached = append(p.trial.reached, was[reach]{k, p.reached[k]})
	}
	for n := p.reached[k]; n < len(list); n++ {
		p.include(list[n])
		p.reached[k] = n + 1
	}
}

// ending identifies a list of unseen Writes that goroutine g read, as reach does.
type ending struct {
	list *int32
	g    int32
}

// endSpans is (P11) for unseen Writes that goroutine g read.
func (p *closure) endSpans(list []int32, g int32) {
	if len(list) == 0 {
		return
	}
	k := ending{&list[0], g}
	if p.trial != nil {
		p.trial.ended = append(p.trial.ended, was[ending]{k, p.ended[k]})
	}
	for _, i := range list[min(p.ended[k], len(list)):] {
		if p.gnum[i] != g && p.evs[i].Flags&trace.FlagAtomic == 0 {
			p.want(p.gnum[i], p.spanEnd(i))
		}
	}
	p.ended[k] = max(p.ended[k], len(list))
}
