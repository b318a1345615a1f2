package trace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryKindHasARow(t *testing.T) {
	require.Len(t, Specs, int(kinds))
	seen := map[string]bool{}
	for k := range Specs {
		s := Specs[k]
		require.NotEmpty(t, s.Name, "kind %d", k)
		require.False(t, seen[s.Name], "two kinds named %s", s.Name)
		seen[s.Name] = true
		require.Equal(t, Kind(k), KindOf(s.Name))
	}
	require.Equal(t, None, KindOf("no such kind"))
	require.Equal(t, "none", Kind(200).String())
}

func TestTextRoundTrip(t *testing.T) {
	var all []Event
	for k := range Specs {
		if Kind(k) == None {
			continue
		}
		ev := Event{Kind: Kind(k), G: 7, Site: Site(k % 3), Stack: Stack(k % 2)}
		switch ev.Kind.Spec().Operand {
		case OnBytes:
			ev.Addr, ev.Size, ev.Flags = 0xc000123454, 4, FlagAtomic
		case OnLock, OnObject:
			ev.Addr, ev.Flags = 0x18, FlagHard
		case OnG, OnTest:
			ev.Other = 9
		case OnGBefore:
			ev.Other, ev.Size = 9, 40
		}
		all = append(all, ev)
	}
	var b strings.Builder
	require.NoError(t, Print(&b, all))
	back, err := Parse(b.String())
	require.NoError(t, err)
	require.Equal(t, all, back)
}

func TestParseNames(t *testing.T) {
	evs, err := Parse(`
		// variables, locks and objects are named apart
		g1 write x
		g1 acquire x hard     // a lock named as a variable
		g2 read x+4:2 atomic site=40
		g2 write y`)
	require.NoError(t, err)
	require.Equal(t, []Event{
		{Kind: Write, G: 1, Addr: 0x1000, Size: 8, Site: 1},
		{Kind: Acquire, Flags: FlagHard, G: 1, Addr: 0x1000, Site: 2},
		{Kind: Read, Flags: FlagAtomic, G: 2, Addr: 0x1004, Size: 2, Site: 40},
		{Kind: Write, G: 2, Addr: 0x1040, Size: 8, Site: 4},
	}, evs)
}

func TestParseErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"g1 begin\nx1 begin":           `trace: line 2: bad goroutine "x1"`,
		"g0 begin":                     `line 1: bad goroutine "g0"`,
		"g67108865 begin":              `bad goroutine "g67108865", want g and a number from 1 to 67108864`,
		"g1 read 0xffffffffffffffff:1": `it goes beyond the greatest address`,
		"g1":                           "no kind",
		"g1 wrote x":                   `unknown kind "wrote"`,
		"g1 write":                     "write has no operand",
		"g1 write x:0":                 `bad size "0"`,
		"g1 write x sight=1":           `bad word "sight=1"`,
		"g1 write x site=abc":          `bad word "site=abc"`,
		"g1 fork x":                    `bad goroutine "x"`,
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestParseSTD(t *testing.T) {
	evs, err := ParseSTD(strings.NewReader("T1|acq(l)|1\nT1|acq(l)|2\nT1|w(x)|3\nT1|rel(l)|4\nT1|rel(l)|5\nT1|fork(T2)|6\nT2|r(x)|7\n"))
	require.NoError(t, err)
	require.Equal(t, []Event{
		{Kind: Acquire, G: 1, Addr: 8, Site: 1},
		{Kind: Write, G: 1, Addr: 8, Size: 8, Site: 3},
		{Kind: Release, G: 1, Addr: 8, Site: 5},
		{Kind: Fork, G: 1, Other: 2, Site: 6},
		{Kind: Read, G: 2, Addr: 8, Size: 8, Site: 7},
	}, evs)

	_, err = ParseSTD(strings.NewReader("T1|w(x)|1\n\n"))
	require.ErrorContains(t, err, "trace: line 2")
	_, err = ParseSTD(strings.NewReader("T1|sync(x)|1\n"))
	require.ErrorContains(t, err, `unknown operation "sync(x)"`)
	_, err = ParseSTD(strings.NewReader("T1|r(x)|\n"))
	require.ErrorContains(t, err, "has no location")
}
