package trace

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommonLinesAreLines: the short way that most lines take makes the events, and the errors,
// that the long one does.
func TestCommonLinesAreLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	taken, failed := 0, 0
	for range 3000 {
		var lines []string
		for range 1 + rng.IntN(6) {
			name := pick("x", "V1", "V12345678", "a.b[0].c[1][23]", "a name that is longer than a slot has room for", "x)", "(x", "")
			line := pick("T1", "T2", "main", "T|", "") + "|" + pick("r", "w", "acq", "rel", "fork", "begin", "rw", "") + pick("(", "(", "(", "") + name +
				pick(")", ")", ")", "") + "|" + pick("1", "77", "2147483647", "2147483648", "", "1|2", "x") + pick("", "", "\r")
			if rng.IntN(8) > 0 {
				line = pick("T1", "T2", "T34567890123456789") + "|" + pick("r(", "w(") + name + "y)|" + pick("0", "12")
			}
			if rng.IntN(16) == 0 { // two, neither of them one
				i := rng.IntN(len(line))
				lines = append(lines, line[:i])
				line = line[i:]
			}
			lines = append(lines, line)
		}
		if rng.IntN(2) > 0 { // enough behind them for these lines to be taken the short way
			lines = append(lines, slices.Repeat([]string{"T1|r(x)|1"}, 10)...)
		}
		text := strings.Join(lines, "\n") + pick("", "\n")

		slow := &STDReader{}
		var want []Event
		var wantErr error
		for _, line := range lines {
			if line == "" && len(lines) == 1 {
				continue
			}
			var ev Event
			padded := append([]byte(strings.TrimSuffix(line, "\r")), make([]byte, namePad)...)
			ok, err := slow.event(padded[:len(padded)-namePad], &ev)
			if err != nil {
				wantErr = err
				break
			}
			if ok {
				want = append(want, ev)
			}
			padded = append([]byte(line+"\n"), make([]byte, commonLine)...)
			quick := &STDReader{in: blocks{buf: padded, to: len(padded)}}
			if took, event := quick.common(new(Event)); took {
				require.NoError(t, err, line)
				require.True(t, event, line)
				require.Equal(t, len(line)+1, quick.in.from)
				taken++
			}
		}
		got, err := ParseSTD(strings.NewReader(text))
		require.Equal(t, want, got, text)
		if wantErr != nil {
			require.ErrorContains(t, err, wantErr.Error(), text)
			failed++
		} else {
			require.NoError(t, err, text)
		}
	}
	require.NotZero(t, taken)
	require.NotZero(t, failed)
}

// TestNamesAreNumbered: in the order they come up, whatever their length, and also when there are
// many.
func TestNamesAreNumbered(t *testing.T) {
	var n names
	all := map[string]uint32{}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50_000 {
		name := strings.Repeat("ab\x00c"[rng.IntN(4):][:1], 1+rng.IntN(20))
		for range rng.IntN(4) {
			name += string(rune('a' + rng.IntN(26)))
		}
		want, ok := all[name]
		if !ok {
			want = uint32(len(all) + 1)
			all[name] = want
		}
		padded := append([]byte(name), "what comes behind it"...)
		require.Equal(t, want, n.number(padded, len(name)), "%q", name)
	}
	require.Greater(t, len(all), 5000)
}
