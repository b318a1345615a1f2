// What tells is what the library has one of: defaults, registries, the environment, the table of signals.

package guarded

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"expvar"
	"go/token"
	"io"
	"log"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"text/template"
	"time"
	"weak"
)

func TestNoRaceSetenv(t *testing.T) {
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { os.Setenv("GUARDED_SET", "1") }, func() bool { return os.Getenv("GUARDED_SET") == "1" })
}

func TestNoRaceUnsetenv(t *testing.T) {
	x := 0
	os.Setenv("GUARDED_UNSET", "1")
	handOver(t, func() { x++ }, func() { x++ }, func() { os.Unsetenv("GUARDED_UNSET") }, func() bool { _, ok := os.LookupEnv("GUARDED_UNSET"); return !ok })
}

func TestNoRaceEnviron(t *testing.T) {
	x := 0
	n := len(os.Environ())
	handOver(t, func() { x++ }, func() { x++ }, func() { os.Setenv("GUARDED_ENVIRON", "1") }, func() bool { return len(os.Environ()) > n })
}

func TestNoRaceLogFlags(t *testing.T) {
	x := 0
	defer log.SetFlags(log.Flags())
	handOver(t, func() { x++ }, func() { x++ }, func() { log.SetFlags(log.Lmicroseconds) }, func() bool { return log.Flags() == log.Lmicroseconds })
}

func TestNoRaceLogPrefix(t *testing.T) {
	x := 0
	defer log.SetPrefix(log.Prefix())
	handOver(t, func() { x++ }, func() { x++ }, func() { log.SetPrefix("guarded") }, func() bool { return log.Prefix() == "guarded" })
}

func TestNoRaceLogWriter(t *testing.T) {
	x := 0
	l := log.New(os.Stderr, "", 0)
	handOver(t, func() { x++ }, func() { x++ }, func() { l.SetOutput(io.Discard) }, func() bool { return l.Writer() == io.Discard })
}

func TestNoRaceSlogDefault(t *testing.T) {
	x := 0
	old, l := slog.Default(), slog.New(slog.DiscardHandler)
	defer slog.SetDefault(old)
	handOver(t, func() { x++ }, func() { x++ }, func() { slog.SetDefault(l) }, func() bool { return slog.Default() == l })
}

func TestNoRaceSlogLevel(t *testing.T) {
	x := 0
	var level slog.LevelVar
	l := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: &level}))
	handOver(t, func() { x++ }, func() { x++ }, func() { level.Set(slog.LevelDebug) }, func() bool { return l.Enabled(context.Background(), slog.LevelDebug) })
}

func TestNoRaceLogLoggerLevel(t *testing.T) {
	x := 0
	defer slog.SetLogLoggerLevel(slog.LevelInfo)
	handOver(t, func() { x++ }, func() { x++ }, func() { slog.SetLogLoggerLevel(slog.LevelWarn) }, func() bool { return slog.SetLogLoggerLevel(slog.LevelInfo) == slog.LevelWarn })
}

func TestNoRaceExpvarInt(t *testing.T) {
	x := 0
	var v expvar.Int
	handOver(t, func() { x++ }, func() { x++ }, func() { v.Add(1) }, func() bool { return v.Value() == 1 })
}

func TestNoRaceExpvarMap(t *testing.T) {
	x := 0
	v := new(expvar.Map).Init()
	handOver(t, func() { x++ }, func() { x++ }, func() { v.AddFloat("a", 1) }, func() bool { return v.Get("a") != nil })
}

func TestNoRaceMime(t *testing.T) {
	x := 0
	handOver(t, func() { x++ }, func() { x++ }, func() { mime.AddExtensionType(".guarded", "a/b") }, func() bool { return mime.TypeByExtension(".guarded") == "a/b" })
}

func TestNoRaceHandleTwice(t *testing.T) {
	x := 0
	mux := http.NewServeMux()
	failing(t, func() { x++ }, func() { x++ }, func() { mux.Handle("/a", http.NotFoundHandler()) }, func() { mux.Handle("/a", http.NotFoundHandler()) })
}

func TestNoRaceMuxHandler(t *testing.T) {
	x := 0
	mux := http.NewServeMux()
	r, _ := http.NewRequest("GET", "/a", nil)
	handOver(t, func() { x++ }, func() { x++ }, func() { mux.Handle("/a", http.NotFoundHandler()) }, func() bool { _, p := mux.Handler(r); return p == "/a" })
}

type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) { return nil, errors.New("none") }

func TestNoRaceDrivers(t *testing.T) {
	x := 0
	n := len(sql.Drivers())
	handOver(t, func() { x++ }, func() { x++ }, func() { sql.Register("guarded", noDriver{}) }, func() bool { return len(sql.Drivers()) > n })
}

func TestNoRaceDBStats(t *testing.T) {
	x := 0
	sql.Register("guarded2", noDriver{})
	db, _ := sql.Open("guarded2", "")
	handOver(t, func() { x++ }, func() { x++ }, func() { db.SetMaxOpenConns(7) }, func() bool { return db.Stats().MaxOpenConnections == 7 })
}

func TestNoRaceFileSet(t *testing.T) {
	x := 0
	fset := token.NewFileSet()
	n := fset.Base()
	handOver(t, func() { x++ }, func() { x++ }, func() { fset.AddFile("a", -1, 100) }, func() bool { return fset.Base() > n })
}

func TestNoRaceTemplate(t *testing.T) {
	x := 0
	tmpl := template.New("a")
	handOver(t, func() { x++ }, func() { x++ }, func() { template.Must(tmpl.New("b").Parse("c")) }, func() bool { return tmpl.Lookup("b") != nil })
}

func TestNoRaceSignalIgnored(t *testing.T) {
	x := 0
	defer signal.Reset(syscall.SIGUSR2)
	handOver(t, func() { x++ }, func() { x++ }, func() { signal.Ignore(syscall.SIGUSR2) }, func() bool { return signal.Ignored(syscall.SIGUSR2) })
}

func TestNoRaceSignalIgnoredNotYet(t *testing.T) {
	var mu sync.Mutex
	x := 0
	defer signal.Reset(syscall.SIGUSR2)
	inTurn(func() {
		mu.Lock()
		if !signal.Ignored(syscall.SIGUSR2) {
			x++
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		signal.Ignore(syscall.SIGUSR2)
		mu.Unlock()
		x++
	})
}

func TestNoRaceSkipped(t *testing.T) {
	x := 0
	var other testing.T
	skip := other.SkipNow // vet takes it for this test's
	handOver(t, func() { x++ }, func() { x++ }, func() {
		done := make(chan int)
		go func() { defer close(done); skip() }()
		<-done
	}, other.Skipped)
}

func TestNoRaceNewProfileTwice(t *testing.T) {
	x := 0
	failing(t, func() { x++ }, func() { x++ }, func() { pprof.NewProfile("guarded.twice") }, func() { pprof.NewProfile("guarded.twice") })
}

func TestNoRaceFlightRecorder(t *testing.T) {
	x := 0
	r := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
	var mu sync.Mutex // Enabled by itself reads a variable that Start writes
	handOver(t, func() { x++ }, func() { x++ }, func() {
		mu.Lock()
		r.Start()
		mu.Unlock()
	}, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return r.Enabled()
	})
	r.Stop()
}

func TestNoRaceFreeOSMemory(t *testing.T) {
	x := 0
	o := new(object)
	w := weak.Make(o)
	handOver(t, func() { x++ }, func() { x++ }, func() { o = nil; debug.FreeOSMemory() }, func() bool { return w.Value() == nil })
}

func TestNoRaceIOPipeClosed(t *testing.T) {
	x := 0
	r, w := io.Pipe()
	handOver(t, func() { x++ }, func() { x++ }, func() { r.CloseWithError(io.ErrShortWrite) }, func() bool { _, err := w.Write([]byte{1}); return err == io.ErrShortWrite })
}

func TestNoRaceOr(t *testing.T) {
	x := 0
	var v atomic.Uint32
	handOver(t, func() { x++ }, func() { x++ }, func() { v.Or(2) }, func() bool { return v.Or(1)&2 != 0 })
}

func TestNoRaceContextErr(t *testing.T) {
	x := 0
	ctx, cancel := context.WithCancel(context.Background())
	handOver(t, func() { x++ }, func() { x++ }, cancel, func() bool { return ctx.Err() != nil })
}

func TestNoRaceContextDeadline(t *testing.T) {
	x := 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	child, stop := context.WithCancel(ctx)
	defer stop()
	handOver(t, func() { x++ }, func() { x++ }, cancel, func() bool { return child.Err() != nil })
}
