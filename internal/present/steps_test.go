package present

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/engine"
	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
)

// stepSymbols knows a file with a line for each operation.
func stepSymbols() *symbolize.Symbols {
	files := []symbolize.SiteFile{{File: "/m/a.go", Pkg: "m/a", Base: 100, N: 10, Table: "" +
		"1:1\tlock\tc.mu\tf\n" + "2:1\tunlock\tc.mu\tf\n" + "3:1\tsend\tch\tf\n" + "4:1\trecv\tch\tf\n" + "5:1\tclose\tch\tf\n" +
		"6:1\twrite\tx\tf\n" + "7:1\tmap\tm\tf\n" + "8:1\twrite\tlist\tf\n" + "9:1\tlock\tc.mu\tf\n" + "9:9\tunlock\tc.mu\tg\n"}}
	frames := func(id trace.Stack, yield func(report.Frame) bool) {
		user := report.Frame{Func: "m/a.f", File: "/m/a.go", Line: int(id)}
		called := map[trace.Stack][]string{
			1: {"internal/sync.(*Mutex).Lock", "sync.(*Mutex).Lock"}, 9: {"internal/sync.(*Mutex).Lock", "sync.(*Mutex).Lock"},
			10: {"sync.(*WaitGroup).Add", "sync.(*WaitGroup).Done"}, 11: {"sync/atomic.(*Int64).Add"}, 12: {"sync.(*Mutex).Lock", "log.Println"}, 13: {"os.Write", "log.Println"},
		}[id]
		if id == 13 {
			user.Line = 12
		}
		for _, fn := range called {
			if !yield(report.Frame{Func: fn, File: "/go/src/x.go", Line: 1}) {
				return
			}
		}
		if id == 0 {
			return
		}
		if id < 50 {
			yield(user)
		} else {
			yield(report.Frame{Func: "testing.tRunner", File: "/go/src/testing.go", Line: 1})
		}
	}
	return symbolize.New(frames, func(i int) (symbolize.SiteFile, bool) {
		if i < len(files) {
			return files[i], true
		}
		return symbolize.SiteFile{}, false
	})
}

// TestSteps writes what events become: goroutine, operation, name, line, and what it comes after.
// The events' stacks are the lines of stepSymbols, and from 50 on none of rewritten code; an own
// event is marked "!", an edge that kept events apart is in kept.
func TestSteps(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		kept   []engine.Edge
		want   string
	}{
		"a lock reads itself, and its end is where the function gives it back": {
			[]string{"g1 read 0x40:1 stack=1", "g1 acquire 0x40 stack=1", "g1 release 0x40", "g2 acquire 0x40 stack=9"}, nil,
			"g1 lock c.mu:1; g1 unlock c.mu:2; g2 lock c.mu:9 after 1 lock",
		},
		"a lock is where it is taken, not where its goroutine began to": {
			[]string{"g1 read 0x40:1 stack=1", "g2 acquire 0x40 stack=9", "g2 release 0x40", "g1 acquire 0x40 stack=1"}, nil,
			"g2 lock c.mu:9; g2 unlock c.mu; g1 lock c.mu:1 after 1 lock",
		},
		"an unbuffered channel": {
			[]string{"g1 read 0x50:1 stack=3", "g1 change 0x40 stack=3", "g2 change 0x40 stack=4", "g1 hardrelease 0x50", "g2 hardswap 0x50", "g1 hardacquire 0x50"}, nil,
			"g1 send ch:3; g2 receive ch:4 after 0 sync",
		},
		"a call of the library again, with other goroutines' events in between that are not shown": {
			[]string{"g1 change 0x50 stack=12", "g2 change 0x60 stack=50", "g1 change 0x58 stack=13"}, nil,
			"g1 call log.Println:12",
		},
		"a channel that is closed": {
			[]string{"g1 write 0x50:1 stack=5", "g1 hardmerge 0x50", "g1 change 0x40 stack=5", "g2 hardacquire 0x50", "g2 observe 0x40 stack=4"}, nil,
			"g1 close ch:5; g2 receive ch:4 after 0 sync",
		},
		"a channel that is a lock": {
			[]string{"g1 acquire 0x40 atomic stack=3", "g1 change 0x40 unseen stack=3", "g1 hardswap 0x60 unseen", "g1 change 0x40 unseen stack=4", "g1 release 0x40 stack=4", "g1 hardswap 0x60 unseen"}, nil,
			"g1 send ch:3; g1 receive ch:4",
		},
		"a map is no channel": {[]string{"g1 write 0x50:1 stack=7", "g1 hardmerge 0x900"}, nil, "g1 map write m:7"},
		"a call of the library, sections within it and all": {
			[]string{"g1 acquire 0x40 hard stack=12", "g1 read 0x80:8 stack=13", "g1 release 0x40", "g2 hardacquire 0x88 stack=10", "g2 hardmerge 0x90 stack=10"}, nil,
			"g1 call log.Println:12; g2 call sync.WaitGroup.Done:10",
		},
		"an atomic operation, again and again": {
			[]string{"g1 change 0x40 stack=11", "g1 hardacquire 0x40 stack=11", "g1 write 0x40:8 atomic stack=11", "g1 hardmerge 0x40 stack=11", "g1 change 0x40 stack=11", "g1 write 0x40:8 atomic stack=11"}, nil,
			"g1 atomic write:11; g1 atomic write:11",
		},
		"an append": {[]string{"g1 change 0x41 unseen site=107 stack=8", "g1 write 0x40:24 append unseen site=107 stack=8"}, nil, "g1 append list:8"},
		"what is announced of an access that does not come": {[]string{"g1 change 0x41 unseen site=107 stack=8"}, nil, ""},
		"the finding's own":       {[]string{"g1 write 0x40:8 site=105 stack=6", "!g1 write 0x40:8 site=105 stack=6"}, nil, "g1 write x:6; g1 write x:6 !"},
		"goroutines":              {[]string{"g1 fork g2 stack=20", "g2 begin", "g2 write 0x40:8 site=105 stack=6", "g2 end", "g1 join g2 site=105"}, nil, "g1 go:20; g2 write x:6 after 0 start; g1 wait x:6 after 1 end"},
		"the library's own":       {[]string{"g1 acquire 0x40 stack=50", "g1 release 0x40", "g2 hardmerge 0x3"}, nil, ""},
		"but for what kept apart": {[]string{"g1 hardmerge 0x88 stack=50", "g2 hardacquire 0x88 stack=51"}, []engine.Edge{{From: 0, To: 1}}, "g1 synchronize; g2 synchronize after 0 sync kept"},
	} {
		t.Run(name, func(t *testing.T) {
			own := map[trace.Seq]int{}
			var events []engine.Placed
			for i, line := range c.events {
				rest, is := strings.CutPrefix(line, "!")
				if is {
					own[trace.Seq(i)] = 1
				}
				if !strings.Contains(rest, "site=") {
					rest += " site=0"
				}
				evs, err := trace.Parse(rest)
				require.NoError(t, err)
				events = append(events, engine.Placed{Seq: trace.Seq(i), Ev: evs[0]})
			}
			var got []string
			for _, s := range New(stepSymbols()).steps(events, own, c.kept, map[trace.Addr]int{}) {
				words := fmt.Sprintf("g%d %s", s.Goroutine, s.Op)
				if s.Name != "" {
					words += " " + s.Name
				}
				if s.File == "/m/a.go" && s.Line > 0 {
					words += fmt.Sprintf(":%d", s.Line)
				}
				if s.Access != 0 {
					words += " !"
				}
				for _, e := range s.After {
					words += fmt.Sprintf(" after %d %s", e.Step, e.Why)
					if e.Kept {
						words += " kept"
					}
				}
				got = append(got, words)
			}
			require.Equal(t, c.want, strings.Join(got, "; "))
		})
	}
}

// TestObjects: a lock has one number in the run and in the schedule.
func TestObjects(t *testing.T) {
	n, objects := New(stepSymbols()), map[trace.Addr]int{}
	lock := func(addr trace.Addr) engine.Placed {
		return engine.Placed{Seq: trace.Seq(addr), Ev: trace.Event{Kind: trace.Acquire, G: 1, Addr: addr, Stack: 1}}
	}
	numbers := func(steps []report.Step) (list []int) {
		for _, s := range steps {
			list = append(list, s.Object)
		}
		return list
	}
	require.Equal(t, []int{1, 2}, numbers(n.steps([]engine.Placed{lock(64), lock(128)}, nil, nil, objects)))
	require.Equal(t, []int{3, 2}, numbers(n.steps(slices.Clone([]engine.Placed{lock(192), lock(128)}), nil, nil, objects)))
}
