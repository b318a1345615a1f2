package trace

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestSourcesSayWhereTheyStopped(t *testing.T) {
	r := NewTextReader(strings.NewReader("// nothing\n\ng1 write x // here\ng1 wrote x\n"), "a.txt")
	var ev Event
	answer, err := r.Next(&ev)
	require.NoError(t, err)
	require.Equal(t, Next, answer)
	require.Equal(t, 3, r.Line())
	_, err = r.Next(&ev)
	require.EqualError(t, err, `trace: a.txt: line 4: unknown kind "wrote"`)

	s := NewSTDReader(strings.NewReader("T1|w(x)|1\nT1|w(x)\n"), "a.std")
	_, _, err = ReadAll(s)
	require.EqualError(t, err, `trace: a.std: line 2: want thread|op(operand)|location, got "T1|w(x)"`)
}

func TestAnEndIsSaidAgain(t *testing.T) {
	r := NewTextReader(strings.NewReader("g1 write x"), "")
	evs, last, err := ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, Ended, last)
	require.Len(t, evs, 1)
	last, err = r.Next(new(Event))
	require.NoError(t, err)
	require.Equal(t, Ended, last)
}

func TestReadErrorsHaveALine(t *testing.T) {
	broken := errors.New("broken")
	_, _, err := ReadAll(NewSTDReader(iotest.ErrReader(broken), "a.std"))
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "trace: a.std: line 1: ")

	_, err = Parse("g1 write x\ng1 write " + strings.Repeat("x", maxLine+1))
	require.ErrorContains(t, err, "trace: line 2: ")
}

func TestMalformedSTD(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"T1|begin|0":                        "",
		"T1|begin(T1)|0":                    "",
		"T1|end|0":                          "",
		"main thread|w(a b[0])|7":           "",
		"\n":                                `line 1: want thread|op(operand)|location, got ""`,
		"T1|w(x)|1|2":                       "want thread|op(operand)|location",
		"|w(x)|1":                           "want thread|op(operand)|location",
		"T1|w(x)|A.java:12":                 "",
		"T1|w(x)|2147483648":                "",
		"T1|w(x)|":                          `"T1|w(x)|" has no location`,
		"T1|w|1":                            `"w" has no operand in parentheses`,
		"T1|w()|1":                          `"w()" has no operand in parentheses`,
		"T1|w(x|1":                          `"w(x" has no operand in parentheses`,
		"T1|req(x)|1":                       `unknown operation "req(x)"`,
		"T1||1":                             `unknown operation ""`,
		"T1|w(x)|1\nT1|r(x)|1\n\nT1|r(x)|1": "line 3: ",
	} {
		_, err := ParseSTD(strings.NewReader(text))
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("g1 write x+4:4 atomic site=3 stack=4\ng1 fork g2 // c\n")
	f.Add("g2 racquire 0x10 hard\n\ng2 testbegin 3")
	f.Fuzz(func(t *testing.T, text string) {
		evs, err := Parse(text)
		if err != nil {
			require.ErrorContains(t, err, "trace: line ")
			return
		}
		var b strings.Builder
		require.NoError(t, Print(&b, evs))
		back, err := Parse(b.String())
		require.NoError(t, err, b.String())
		require.Equal(t, evs, back)
	})
}

func FuzzSTD(f *testing.F) {
	f.Add("T1|w(x)|1\nT1|acq(l)|2\nT1|acq(l)|3\nT1|rel(l)|4\nT1|fork(T2)|5\nT2|begin|6\n")
	f.Fuzz(func(t *testing.T, text string) {
		evs, err := ParseSTD(strings.NewReader(text))
		if err != nil {
			require.ErrorContains(t, err, "trace: line ")
			return
		}
		for _, ev := range evs {
			require.NotZero(t, ev.G)
			require.NotEqual(t, None, ev.Kind)
		}
	})
}

// TestSTDNames: what was numbered has its name, events have their lines, and what no run can have
// is said.
func TestSTDNames(t *testing.T) {
	const text = `T1|fork(a thread with a long name)|1
T1|acq(l)|A.java:2
T1|acq(l)|A.java:3
T1|w(x)|2147483648
T1|rel(l)|A.java:3
T1|rel(l)|5
a thread with a long name|r(x)|A.java:2
T1|rel(l)|5
T1|fork(a thread with a long name)|1
T1|acq(m)|1
T2|acq(m)|1
T2|acq(m)|1
T3|acq(m)|1
`
	s := NewSTDReader(strings.NewReader(text), "")
	events, _, err := ReadAll(s)
	require.NoError(t, err)
	require.Equal(t, []string{"T1", "a thread with a long name", "T2", "T3"}, s.Names(OnG))
	require.Equal(t, []string{"l", "m"}, s.Names(OnLock))
	require.Equal(t, []string{"x"}, s.Names(OnBytes))
	var lines []int
	var at []string
	for i := range events {
		lines, at = append(lines, s.LineOf(Seq(i))), append(at, s.Location(events[i].Site))
	}
	require.Equal(t, []int{1, 2, 4, 6, 7, 8, 9, 10, 11, 13}, lines)
	require.Equal(t, []string{"1", "A.java:2", "2147483648", "5", "A.java:2", "5", "1", "1", "1", "1"}, at)
	first, more := s.Problems()
	require.Equal(t, []Problem{
		{8, "T1 releases l, which it does not hold"}, {9, "T1 forks a thread with a long name, which was there before"}, {11, "T2 acquires m, which T1 holds"},
	}, first)
	require.Equal(t, 1, more)
}
