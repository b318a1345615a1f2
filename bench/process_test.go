package main

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// envTouch is set for a process that touches so many megabytes and ends with that status, or does
// not end by itself.
const envTouch = "RACEPRED_BENCH_TOUCH"

func TestMain(m *testing.M) {
	between()
	if n, err := strconv.Atoi(os.Getenv(envTouch)); err == nil {
		touch(n)
		os.Exit(n % 100)
	}
	if os.Getenv(envTouch) == "wait" {
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// touch has that many megabytes resident for a moment.
func touch(n int) {
	b := make([]byte, n<<20)
	for i := 0; i < len(b); i += 512 {
		b[i] = 1
	}
	runtime.KeepAlive(b)
}

// TestPeakIsTheCommandsOwn: a command's peak memory is its own, and not that of this process
// before.
func TestPeakIsTheCommandsOwn(t *testing.T) {
	switch runtime.GOOS {
	case "linux", "darwin":
	default:
		t.Skip("memory is not known here")
	}
	touch(300)
	self, err := os.Executable()
	require.NoError(t, err)
	for _, n := range []int{0, 100} {
		u, out, err := run(context.Background(), "", []string{envTouch + "=" + strconv.Itoa(n)}, self)
		require.NoError(t, err, "%s", out)
		require.Less(t, u.Memory, int64(n+100)<<20)
		require.Greater(t, u.Memory, int64(n)<<20)
		require.Positive(t, u.CPU)
	}
}

// TestProcessBetween: the command's output, its status, that it does not exist, and the end of the
// context are as without a process between.
func TestProcessBetween(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	_, _, err = run(context.Background(), "", []string{envTouch + "=7"}, self)
	require.ErrorContains(t, err, "exit status 7")
	_, out, err := run(context.Background(), "", nil, self, "-test.run=^$")
	require.NoError(t, err)
	require.Contains(t, string(out), "PASS")
	_, _, err = run(context.Background(), "", nil, "no-such-command")
	require.ErrorContains(t, err, "no-such-command")

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, _, err = run(ctx, "", []string{envTouch + "=wait"}, self)
	require.ErrorIs(t, err, context.Canceled)
}
