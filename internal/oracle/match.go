package oracle

import "github.com/racepred/racepred/internal/trace"

// matchSections finds the sections of the trace: a release ends the goroutine's newest open section
// of its lock and mode, else the first of another goroutine, else one that began before the trace.
func (w *world) matchSections() {
	for i, e := range w.evs {
		switch e.Kind {
		case trace.Acquire, trace.RAcquire:
			w.byEvent[i] = len(w.sections)
			w.sections = append(w.sections, section{e.Addr, i, -1, e.G, e.Kind == trace.RAcquire, e.Flags&trace.FlagHard != 0, e.Unseen()})
		case trace.Release, trace.RRelease:
			found := -1
			for k, s := range w.sections {
				if s.lock == e.Addr && s.rel < 0 && s.shared == (e.Kind == trace.RRelease) {
					if s.g == e.G || found < 0 {
						found = k
					}
				}
			}
			if found < 0 {
				found = len(w.sections)
				w.sections = append(w.sections, section{e.Addr, -1, i, e.G, e.Kind == trace.RRelease, false, e.Unseen()})
			}
			w.sections[found].rel = i
			w.byEvent[i] = found
		}
	}
}
