package gotestplugin

import (
	"fmt"
	"time"
)

// statusLine is a line on a terminal that says how far long work is. It is removed afterwards.
type statusLine struct {
	*call
	last  time.Time
	shown bool
}

// due reports whether it is time to show something new, and there is a terminal to show it on.
func (l *statusLine) due() bool {
	return time.Since(l.last) >= 200*time.Millisecond && isTerminal(l.err)
}

func (l *statusLine) show(format string, args ...any) {
	l.last, l.shown = time.Now(), true
	fmt.Fprintf(l.err, "\r\x1b[Kracepred: "+format, args...)
}

func (l *statusLine) clear() {
	if l.shown {
		fmt.Fprint(l.err, "\r\x1b[K")
		l.shown = false
	}
}
