// Tests that are parallel themselves, and the seeds of a fuzz test.

package guarded

import (
	"fmt"
	"os"
	"testing"
)

var top struct {
	note               string
	main, early, again int
}

// What comes after Run comes after all tests.
func TestMain(m *testing.M) {
	top.main++
	code := m.Run()
	if top.main++; code == 0 {
		fmt.Println("no race was found")
	}
	os.Exit(code)
}

func TestNoRaceMain(t *testing.T) {
	t.Parallel()
	top.main++
}

func TestRaceNoteA(t *testing.T) {
	t.Parallel()
	top.note = "a"
}

func TestRaceNoteB(t *testing.T) {
	t.Parallel()
	top.note = "b"
}

// Tests that are not parallel come before all that parallel ones do after Parallel.
func TestNoRaceEarly(t *testing.T) {
	top.early++
	t.Parallel()
	top.early++
}

func TestNoRaceLate(t *testing.T) { top.early++ }

// Several runs of one test are never parallel to each other.
func TestNoRaceAgain(t *testing.T) {
	t.Parallel()
	top.again++
}

func FuzzRace(f *testing.F) {
	n := 0
	f.Add(1)
	f.Add(2)
	f.Fuzz(func(t *testing.T, i int) {
		t.Parallel()
		n += i
	})
	n++
}

func FuzzNoRace(f *testing.F) {
	n := 0
	f.Cleanup(func() { n++ })
	f.Add(1)
	f.Fuzz(func(t *testing.T, i int) {
		n += i
		t.Parallel()
		n += i
	})
	n++
}
