package tool

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// script makes a stand-in for racepred.
func script(t *testing.T, body string) *Tool {
	name := filepath.Join(t.TempDir(), "racepred")
	require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	return Racepred(name)
}

func TestRun(t *testing.T) {
	t.Setenv("GOMAXPROCS", "7")
	t.Setenv("GOFLAGS", "-race")
	tl := script(t, `echo "$@" "$GOMAXPROCS" "$GOTOOLCHAIN" "$GOFLAGS"; pwd; echo second >&2; exit 66`)
	dir := t.TempDir()
	out, code, err := tl.Run(t.Context(), Job{
		Dir: dir, Toolchain: "go1.99", Processor: 1, Args: []string{"-v", "."}, Timeout: time.Minute,
	})
	require.NoError(t, err)
	require.Equal(t, 66, code)
	require.Equal(t, "test -v . 1 go1.99 -buildvcs=false\n"+dir+"\nsecond\n", out)
}

func TestRunTimeout(t *testing.T) {
	tl := script(t, "echo begun; exec sleep 60")
	out, _, err := tl.Run(t.Context(), Job{Timeout: 300 * time.Millisecond})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, "begun\n", out, "what was printed until then is kept")
}

func TestRunNothing(t *testing.T) {
	_, _, err := Racepred("/nowhere/racepred").Run(t.Context(), Job{Timeout: time.Minute})
	require.ErrorIs(t, err, os.ErrNotExist)
}
