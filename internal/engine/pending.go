package engine

import (
	"slices"

	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predictors"
)

// pending has the goals that wait for Flush, by their positions and in the order in which they were
// proposed, each with some of its instances.
type pending struct {
	goals []waiting
	at    map[predict.Key]int
}

type waiting struct {
	key       predict.Key
	instances []predict.Candidate
	skip      int      // how many instances are left out after one that is kept
	left      int      // how many more are left out now
	spent     int      // states that all searches for the goal cost so far
	by        []string // the predictors that proposed the goal, each once
	done      bool
	shown     bool   // one instance is a race of the run, given out at other positions
	open      int    // how many instances have no answer
	note      string // why, for one of them
	at        retry  // that instance, if a larger budget may find an answer
}

// maxInstances is how many instances of a goal wait. Where 100 goroutines take two locks in turn
// there are hundreds of thousands of cycles at the same positions.
const maxInstances = 64

// add keeps a candidate; false means that there is no room for another goal.
func (p *pending) add(c predict.Candidate, limit int) bool {
	k := c.Key()
	i, ok := p.at[k]
	if !ok {
		if len(p.goals) >= limit {
			return false
		}
		if p.at == nil {
			p.at = map[predict.Key]int{}
		}
		i = len(p.goals)
		p.at[k] = i
		p.goals = append(p.goals, waiting{key: k})
	}
	p.goals[i].add(c)
	return true
}

// add keeps an instance, once for all predictors that propose it.
func (w *waiting) add(c predict.Candidate) {
	if !slices.Contains(w.by, c.By) {
		w.by = append(w.by, c.By)
		predictors.Sort(w.by)
	}
	same := func(a, b predict.Event) bool { return a.Seq == b.Seq }
	for i := range w.instances {
		if slices.EqualFunc(w.instances[i].Events, c.Events, same) {
			return
		}
	}
	if w.left > 0 {
		w.left--
		return
	}
	if len(w.instances) == maxInstances { // the first and the latest stay
		kept := w.instances[:0]
		for i := range w.instances {
			if i%2 == 0 || i == maxInstances-1 {
				kept = append(kept, w.instances[i])
			}
		}
		clear(w.instances[len(kept):])
		w.instances = kept
		w.skip = 2*w.skip + 1
	}
	w.instances = append(w.instances, c)
	w.left = w.skip
}

// givenUp notes why there is no answer about an instance. Of the reasons of several, one that more
// effort may help with is kept.
func (w *waiting) givenUp(c *instance) {
	w.open++
	if !worthMore(w.note) {
		w.note, w.at = c.note, c.at
	}
}

// take takes the goals out for which which holds.
func (p *pending) take(which func(*waiting) bool) (taken []waiting) {
	var kept []waiting
	for i := range p.goals {
		if w := &p.goals[i]; which(w) {
			taken = append(taken, *w)
		} else {
			kept = append(kept, *w)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	p.goals, p.at = kept, map[predict.Key]int{}
	for i := range kept {
		p.at[kept[i].key] = i
	}
	return taken
}
