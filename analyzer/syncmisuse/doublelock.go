package syncmisuse

import (
	"github.com/racepred/racepred/analyzer/internal/flow"
)

// doubleLock is doublelock and rlockupgrade: they are one question about the mode in which a lock
// is held.
func doubleLock(c *checker) {
	for f := range c.p.Funcs {
		c.p.Before(f, func(e *flow.Event, s flow.State) {
			switch e.Kind {
			case flow.Lock, flow.RLock:
				if !e.Path.Known() || !c.p.OfSync(e.Call) {
					return
				}
				c.rule = "doublelock"
				switch was := s.Of(e.Path); {
				case was == flow.Exclusive:
					c.report(e.Node, nil, nil, "%s is locked here, and is held already: the goroutine waits for itself", e.Path)
				case was == flow.Shared && e.Kind == flow.RLock && c.p.Alone(e.Path.Root): // no writer can come in between
				case was == flow.Shared && e.Kind == flow.RLock:
					c.report(e.Node, nil, nil, "%s is locked for reading here, and is held for reading already: a deadlock if another goroutine waits to write", e.Path)
				case was == flow.Shared:
					c.rule = "rlockupgrade"
					c.report(e.Node, nil, nil, "%s is locked here while it is held for reading: the goroutine waits for itself", e.Path)
				}
			case flow.Calls:
				for _, l := range c.p.EffectsOf(e) {
					if !l.Known() || l.Takes == 0 {
						continue
					}
					c.rule = "doublelock"
					switch was := s.Of(l.Path); {
					case was == flow.Exclusive:
						c.report(e.Node, nil, nil, "%s locks %s, which is held here: the goroutine waits for itself", e.Callee.Name(), l.Path)
					case was == flow.Shared && l.Takes&flow.Exclusive == 0:
						c.report(e.Node, nil, nil, "%s locks %s for reading, which is held for reading here: a deadlock if another goroutine waits to write", e.Callee.Name(), l.Path)
					case was == flow.Shared:
						c.rule = "rlockupgrade"
						c.report(e.Node, nil, nil, "%s locks %s, which is held for reading here: the goroutine waits for itself", e.Callee.Name(), l.Path)
					}
				}
			}
		})
	}
}
