package score

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwn checks which reports show the race of a test (S7).
func TestOwn(t *testing.T) {
	const created = "\nGoroutine 8 created at:\n  testing.(*T).Run()\n      /go/src/testing/testing.go:2101\n" +
		"\nGoroutine 9 (finished) created at:\n  example.com/v2/racetests.TestRaceA()\n      a_test.go:6\n"
	for name, c := range map[string]struct {
		report string
		want   Verdict
	}{
		"both":                         {accesses("TestRaceA.func1", "TestRaceA"), Verdict{Outcome: Found}},
		"literals of literals":         {accesses("TestRaceA.func1.2", "TestRaceA.gowrap1"), Verdict{Outcome: Found}},
		"a goroutine that it started":  {accesses("helper", "TestRaceA") + created, Verdict{Outcome: Found}},
		"a goroutine of others":        {accesses("TestRaceA", "helper") + created, Verdict{Outcome: Missed, Strays: 1}},
		"one of another test":          {accesses("TestRaceA.func1", "TestRaceB"), Verdict{Outcome: Missed, Strays: 1}},
		"both of another test":         {accesses("TestRaceB.func1", "TestRaceB"), Verdict{Outcome: Missed, Strays: 1}},
		"a test whose name is longer":  {accesses("TestRaceAgain.func1", "TestRaceA"), Verdict{Outcome: Missed, Strays: 1}},
		"a method of the name":         {accesses("(*T).TestRaceA", "TestRaceA"), Verdict{Outcome: Missed, Strays: 1}},
		"no access":                    {"\n", Verdict{Outcome: Missed, Strays: 1}},
		"what follows does not belong": {accesses("TestRaceB", "TestRaceB") + "==================\n" + accesses("TestRaceA", "TestRaceA"), Verdict{Outcome: Missed, Strays: 1}},
		"a second report":              {accesses("TestRaceB", "TestRaceB") + "==================\nWARNING: DATA RACE\n" + accesses("TestRaceA", "TestRaceA"), Verdict{Outcome: Found, Strays: 1}},
		"possible":                     {"Possible (wcp): no schedule.\n" + accesses("TestRaceB", "TestRaceB"), Verdict{Outcome: Missed, Possible: true}},
		"a schedule is no stack":       {accesses("TestRaceA", "helper") + "\nA schedule:\n  TestRaceA()\n>> read a.go:7\n", Verdict{Outcome: Missed, Strays: 1}},
		"by the main goroutine":        {"Write at 0x01 by main goroutine:\n  m.TestRaceA.func2()\n      a.go:1\n", Verdict{Outcome: Found}},
		"the runtime's own":            {"==================\nfatal error: concurrent map writes\n", Verdict{Outcome: Found, Strays: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			block := Block{Test: "TestRaceA", Lines: Cut("=== RUN   TestRaceA\nWARNING: DATA RACE\n" + c.report)[0].Lines}
			require.Equal(t, c.want, Judge(block, false))
			other := block
			other.Test = "TestNoRaceA" // any report is false
			if !c.want.Possible {
				require.Equal(t, Verdict{Outcome: False}, Judge(other, false))
			}
		})
	}
}
