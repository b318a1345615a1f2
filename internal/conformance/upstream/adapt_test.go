package upstream

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/conformance/score"
)

func TestAdapt(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for name, src := range map[string]string{
		"plain_test.go": "package race_test\n\nimport \"testing\"\n\nfunc  TestNoRacePlain(t *testing.T) {}\n\nfunc TestOther(t *testing.T) {}\n",
		"cgo_test.go":   "package race_test\n\nimport \"internal/testenv\"\n\nvar _ = testenv.Builder\n",
		"tag_test.go":   "//go:build goexperiment.nothing\n\npackage race_test\n",
		"main.go":       "package main\n\nimport \"C\"\n",
		"synctest_test.go": `package race_test

import (
	"internal/synctest"
	"testing"
)

func TestRaceBubble(t *testing.T) {
	// Stays here.
	synctest.Run(func() {
		synctest.Wait()
	})
}
`,
		"switch_test.go": `package race_test

import (
	"runtime"
	"testing"
)

func TestNoRaceSwitch(t *testing.T) {
	go func() {
		runtime.RaceDisable()
		runtime.Gosched() // goes on
	}()
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(from, name), []byte(src), 0o666))
	}
	s, err := Adapt(from, to, "1.26")
	require.NoError(t, err)
	require.Equal(t, []string{"cgo_test.go", "main.go", "tag_test.go"}, s.LeftOut)
	require.Equal(t, []score.Test{
		{Name: "TestNoRacePlain", File: "plain_test.go", Line: 5},
		{Name: "TestNoRaceSwitch", File: "switch_test.go", Line: 8},
		{Name: "TestRaceBubble", File: "synctest_test.go", Line: 8},
	}, s.Tests)

	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(to, name))
		require.NoError(t, err)
		return string(b)
	}
	require.Contains(t, read("plain_test.go"), "func  TestNoRacePlain", "untouched files are copied byte for byte")
	require.Contains(t, read("synctest_test.go"), "\t\"testing/synctest\"\n")
	require.Contains(t, read("synctest_test.go"), "\t// Stays here.\n\tsynctest.Test(t, func(*testing.T) {\n\t\tsynctest.Wait()\n\t})\n")
	require.NotContains(t, read("switch_test.go"), "RaceDisable")
	require.Contains(t, read("switch_test.go"), "\t\truntime.Gosched() // goes on\n")
	require.Equal(t, "module racetests\n\ngo 1.26\n", read("go.mod"))
	require.NoFileExists(t, filepath.Join(to, "cgo_test.go"))
}

func TestAdaptErrors(t *testing.T) {
	from := t.TempDir()
	_, err := Adapt(from, t.TempDir(), "1.26")
	require.ErrorContains(t, err, "no race tests in")

	require.NoError(t, os.WriteFile(filepath.Join(from, "bad_test.go"), []byte("package\n"), 0o666))
	_, err = Adapt(from, t.TempDir(), "1.26")
	require.ErrorContains(t, err, "bad_test.go: ")
}
