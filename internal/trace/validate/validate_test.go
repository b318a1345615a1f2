package validate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

func problems(t *testing.T, text string, known Known) (list []string) {
	t.Helper()
	evs, err := trace.Parse(text)
	require.NoError(t, err, text)
	c := New(known, func(p Problem) {
		s := fmt.Sprintf("%d: %s", p.Seq, p.Text)
		if p.Remark {
			s = fmt.Sprintf("%d: remark: %s", p.Seq, p.Text)
		}
		list = append(list, s)
	})
	for i := range evs {
		c.Event(&evs[i])
	}
	return list
}

// TestWraps: the text form cannot have such an access (V9).
func TestWraps(t *testing.T) {
	var text string
	c := New(Known{}, func(p Problem) { text += p.Text })
	c.Event(&trace.Event{Kind: trace.Write, G: 1, Addr: ^trace.Addr(0) - 6, Size: 8})
	require.Contains(t, text, "beyond the greatest address")
}

func TestWhatNoRunCanDo(t *testing.T) {
	for text, want := range map[string]string{
		// (V2)
		"g1 fork g2 \n g3 fork g2":       "1: g3 forks g2, which event 0 has forked",
		"g1 fork g1":                     "0: g1 forks g1",
		"g2 write x \n g1 fork g2":       "1: g1 forks g2, which has begun before",
		"g1 begin \n g1 end \n g1 end":   "2: g1 does something (end) after its end, event 1",
		"g1 write x \n g1 begin":         "1: g1 begins, and did something before", // (V3)
		"g1 write x\ng1 end\ng1 write x": "2: g1 does something (write) after its end, event 1",
		// (V4)
		"g1 fork g2 \n g2 write x \n g1 join g2 \n g2 write x": "3: g2 does something (write) after event 2 joined it",
		"g1 join g1": "0: g1 joins g1",
		// (V5)
		"g5 acquire 7 \n g3 acquire 7":  "1: g3 acquires lock 0x7, which g5 holds since event 0",
		"g5 acquire 7 \n g5 acquire 7":  "1: g5 acquires lock 0x7, which g5 holds since event 0",
		"g5 acquire 7 \n g3 racquire 7": "1: g3 read-acquires lock 0x7, which g5 holds since event 0",
		"g5 racquire 7 \n g3 acquire 7": "1: g3 acquires lock 0x7, which g5 holds in read mode since event 0",
		// (V6)
		"g3 release 7":                                 "0: g3 releases lock 0x7, which nobody holds",
		"g3 rrelease 7":                                "0: g3 read-releases lock 0x7, which nobody holds",
		"g5 acquire 7 \n g3 release 7":                 "1: remark: g3 releases lock 0x7, which g5 holds since event 0",
		"g5 racquire 7 \n g3 rrelease 7":               "1: remark: g3 read-releases lock 0x7, which g5 holds since event 0",
		"g5 racquire 7 \n g5 release 7":                "1: g5 releases lock 0x7, which g5 holds in read mode since event 0",
		"g5 acquire 7 \n g5 rrelease 7":                "1: g5 read-releases lock 0x7, which g5 holds in write mode since event 0",
		"g5 acquire 7 \n g3 release 7 \n g5 release 7": "1: remark: g3 releases lock 0x7, which g5 holds since event 0 | 2: g5 releases lock 0x7, which nobody holds",
		// (V7)
		"g1 tryfail 7": "0: remark: g1 fails to get lock 0x7, which nobody holds; no schedule will include that",
	} {
		got := ""
		for i, p := range problems(t, text, Known{}) {
			if i > 0 {
				got += " | "
			}
			got += p
		}
		require.Equal(t, want, got, text)
	}
}

func TestWhatRunsDo(t *testing.T) {
	require.Empty(t, problems(t, `
		g1 begin
		g1 fork g2
		g2 begin
		g1 testbegin 1
		g1 racquire 7
		g2 racquire 7
		g1 racquire 7      // twice
		g1 rrelease 7
		g1 rrelease 7
		g2 rrelease 7
		g1 acquire 7
		g1 acquire 15      // not nested
		g2 tryfail 7
		g1 release 7
		g1 release 15
		g1 acquire 7
		g1 alloc 0:16      // the lock's memory is used again
		g2 acquire 7
		g2 end
		g1 join g2
		g1 join g2
		g1 end`, Known{}))
}

func TestReferences(t *testing.T) {
	k := Known{
		Stack: func(s trace.Stack) bool { return s == 1 },
		Site:  func(s trace.Site) bool { return s == 2 },
		Test:  func(n uint32) bool { return n == 3 },
	}
	require.Empty(t, problems(t, "g1 write x site=2 stack=1 \n g1 write x site=0 \n g1 testbegin 3 site=2", k))
	require.Equal(t, []string{"0: stack 4 is not in the table", "0: site 5 is not in the table", "1: test 6 is not in the table"},
		problems(t, "g1 write x site=5 stack=4 \n g1 testbegin 6 site=0", k))
}

func TestNoEvent(t *testing.T) {
	n := 0
	c := New(Known{}, func(Problem) { n++ })
	for _, ev := range []trace.Event{{}, {Kind: trace.Read}, {Kind: 99, G: 1}} {
		c.Event(&ev)
	}
	require.Equal(t, 3, n)
}
