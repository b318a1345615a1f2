package gotestplugin

import (
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/racepred/racepred/internal/report/collect"
)

// progress says on a terminal how far the run is: what is being built, which package of how many,
// findings so far. The line is gone while go test prints, and comes back behind what it printed
// unless that ends in the middle of a line.
type progress struct {
	mu      sync.Mutex
	line    statusLine
	begun   time.Time
	open    bool // what was printed last did not end its line
	what    func() string
	stopped chan struct{}
}

// progressEvery is how often the line is renewed.
const progressEvery = 250 * time.Millisecond

// startProgress shows what until it is stopped. It is nil if stderr is no terminal.
func (c *call) startProgress(what func() string) *progress {
	if !isTerminal(c.err) || getenv(c.env, "TERM") == "dumb" {
		return nil
	}
	p := &progress{line: statusLine{call: c}, begun: time.Now(), what: what, stopped: make(chan struct{})}
	go func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.show()
			case <-p.stopped:
				return
			}
		}
	}()
	return p
}

func (p *progress) show() {
	what := p.what()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open {
		p.line.show("%s, %d s", what, int(time.Since(p.begun).Seconds()))
	}
}

// stop removes the line for good.
func (p *progress) stop() {
	if p == nil {
		return
	}
	close(p.stopped)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = true // for a tick that is late
	p.line.clear()
}

// beneath is a writer to w that keeps the line below what is written.
func (p *progress) beneath(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return above{p, w}
}

type above struct {
	*progress
	to io.Writer
}

func (a above) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.line.clear()
	if len(b) > 0 {
		a.open = b[len(b)-1] != '\n'
	}
	return a.to.Write(b)
}

// testing says how far go test is.
func (j *job) testing(runDir string, w *watcher) func() string {
	follow := collect.NewFollow(runDir, j.states)
	of := 0
	for _, p := range j.graph.named {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			of++
		}
	}
	return func() string {
		follow.Next()
		found := 0
		for i := range follow.Findings {
			if follow.Findings[i].Fails() {
				found++
			}
		}
		return howFar(len(follow.Processes()) > 0, w.count(), of, found)
	}
}

// howFar is the line while go test runs: over packages of so many are done.
func howFar(running bool, over, of, found int) string {
	if !running {
		return "building the tests"
	}
	s := "package " + strconv.Itoa(min(over+1, of)) + " of " + strconv.Itoa(of)
	if found > 0 {
		s += ", findings so far: " + strconv.Itoa(found)
	}
	return s
}

// count is how many packages are over.
func (w *watcher) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.over)
}

// noteOver notes that a package is over.
func (w *watcher) noteOver(pkg string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over[pkg] = true
}

// paint colours text that is printed to stderr, if that is a terminal and NO_COLOR is not set
// (https://no-color.org).
func (c *call) paint(colour int, text string) string {
	if !isTerminal(c.err) || getenv(c.env, "NO_COLOR") != "" || slices.Contains([]string{"", "dumb"}, getenv(c.env, "TERM")) {
		return text
	}
	return "\x1b[" + strconv.Itoa(colour) + "m" + text + "\x1b[0m"
}

// Colours of a terminal.
const (
	red   = 31
	green = 32
)
