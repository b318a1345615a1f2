package seam

import (
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/cacheage"
)

func TestEveryEditFitsThisToolchain(t *testing.T) {
	files, err := Files(build.Default.GOROOT)
	require.NoError(t, err)
	for _, f := range edits {
		require.Contains(t, files, f.Path)
	}
	for p, b := range files {
		if strings.HasSuffix(p, ".go") {
			_, err := parser.ParseFile(token.NewFileSet(), p, b, parser.AllErrors)
			require.NoError(t, err, p)
			require.NotContains(t, string(b), "racepred_seam", p)
			require.NotContains(t, string(b), module+"/", p)
		}
	}
}

func TestEditsKeepLines(t *testing.T) {
	for _, f := range edits {
		src, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(f.Path)))
		require.NoError(t, err)
		out, err := apply(f, src)
		require.NoError(t, err)
		require.Equal(t, strings.Count(string(src), "\n"), strings.Count(string(out), "\n"), f.Path)
	}
}

func TestAnEditThatDoesNotFitIsAnError(t *testing.T) {
	src := []byte("package p\n\nfunc f() { g() }\n")
	for name, e := range map[string]edit{
		"no such function": {"h", "g()", "k()"},
		"no such text":     {"f", "k()", "g()"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := apply(file{Path: "p/p.go", Edits: []edit{e}}, src)
			require.ErrorContains(t, err, "p/p.go")
		})
	}
	out, err := apply(file{Path: "p/p.go", Imports: []string{"x/y"}, Edits: []edit{{"f", "g()", "k()"}}, Optional: []edit{{"f", "m()", "n()"}}}, src)
	require.NoError(t, err)
	require.Equal(t, "package p; import \"x/y\"\n\nfunc f() { k() }\n", string(out))
}

func TestEditsStayWithinTheirFunction(t *testing.T) {
	src := []byte("package p\n\nfunc f() { g() }\n\nfunc h() { g() }\n")
	out, err := apply(file{Path: "p/p.go", Edits: []edit{{"h", "g()", "k()"}}}, src)
	require.NoError(t, err)
	require.Equal(t, "package p\n\nfunc f() { g() }\n\nfunc h() { k() }\n", string(out))
}

func TestAnEditBeginsAFunction(t *testing.T) {
	src := []byte("package p\n\nfunc f() { g() }\n\nfunc h() {\n\tg()\n}\n")
	out, err := apply(file{Path: "p/p.go", Edits: []edit{{"h", "", "defer k()"}, {"h", "g()", "m()"}}}, src)
	require.NoError(t, err)
	require.Equal(t, "package p\n\nfunc f() { g() }\n\nfunc h() { defer k();\n\tm()\n}\n", string(out))
	_, err = apply(file{Path: "p/p.go", Edits: []edit{{"k", "", "defer k()"}}}, src)
	require.ErrorContains(t, err, "no function k")
}

func TestStubsKeepSignaturesTheyDoNotKnow(t *testing.T) {
	src := []byte(`//go:build !race

package runtime

const raceenabled = false

func raceacquire(addr unsafe.Pointer)      { throw("race") }
func racenew(a, b uintptr) (uintptr, bool) { throw("race"); return 0, false }
func racenothing()                         { throw("race") }
`)
	_, err := race0([]byte("package runtime\n"), nil)
	require.ErrorContains(t, err, "raceenabled")
	out, err := race0([]byte(strings.Replace(string(src), ", bool)", ", uintptr)", 1)), map[string]bool{"raceacquire": true})
	require.NoError(t, err)
	require.Contains(t, string(out), "const raceenabled = true")
	require.Contains(t, string(out), "rpHook_raceacquire(addr)")
	require.Contains(t, string(out), "return 0, 0")
	require.NotContains(t, string(out), "throw")
	require.Contains(t, string(out), "//go:build !race")
}

func TestAtomicOperations(t *testing.T) {
	for name, want := range map[string]string{
		"AddInt32":              "int32(raceatomic.Xadd((*uint32)(unsafe.Pointer(addr)), int32(val)))",
		"LoadUint64":            "uint64(raceatomic.Load64((*uint64)(unsafe.Pointer(addr))))",
		"CompareAndSwapUintptr": "raceatomic.Casuintptr((*uintptr)(unsafe.Pointer(addr)), uintptr(old), uintptr(new))",
		"SwapPointer":           "rawSwapPointer(addr, val)",
	} {
		op, ok := parseAtomicOp(name)
		require.True(t, ok, name)
		require.Equal(t, want, op.operation(name))
	}
	_, ok := parseAtomicOp("runtime_procPin")
	require.False(t, ok)
	_, err := atomicHooks([]string{"FrobInt32"})
	require.ErrorContains(t, err, "FrobInt32")
}

// TestUnseenOperations: additions and bit operations, and nothing else, have a twin for callers
// that throw the result away.
func TestUnseenOperations(t *testing.T) {
	src, err := atomicHooks([]string{"AddInt32", "OrUintptr", "LoadInt32", "SwapInt64", "CompareAndSwapInt32", "StoreUint32"})
	require.NoError(t, err)
	_, err = parser.ParseFile(token.NewFileSet(), "hooks.go", src, parser.AllErrors)
	require.NoError(t, err)
	text := string(src)
	require.Equal(t, 2+2, strings.Count(text, "func Racepred")-strings.Count(text, "func RacepredSeen"), "and those that edits use")
	require.Equal(t, 6, strings.Count(text, "func RacepredSeen"))
	require.Contains(t, text, "func RacepredAddInt32(addr *int32, val int32) int32 {")
	require.Contains(t, text, "race.AtomicEnd(h, unsafe.Pointer(addr), unsafe.Sizeof(*addr), race.AtomicAdd)")
	require.Contains(t, text, "func (x *Int32) RacepredAdd(val int32) int32 { return RacepredAddInt32(&x.v, val) }")
	require.Contains(t, text, "func (x *Uintptr) RacepredOr(val uintptr) uintptr { return RacepredOrUintptr(&x.v, val) }")
}

// TestMethodsOfValueCallTheirTwins: and one that has none is an error.
func TestMethodsOfValueCallTheirTwins(t *testing.T) {
	src, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", "sync", "atomic", "value.go"))
	require.NoError(t, err)
	out, declared, err := atomicFile("sync/atomic/value.go", src)
	require.NoError(t, err)
	require.Empty(t, declared)
	require.Equal(t, strings.Count(string(src), "\n")+2, strings.Count(string(out), "\n"), "lines keep their numbers")
	require.Equal(t, len(valueMethods), strings.Count(string(out), "func (v *Value)"))
	for name := range valueMethods {
		require.Regexp(t, `func \(v \*Value\) `+name+`\(.*\{ (return )?hook`+name+`Value\(v\b`, string(out))
		require.Contains(t, valueSource, "func hook"+name+"Value(v *Value")
	}
	_, _, err = atomicFile("sync/atomic/value.go", []byte("package atomic\n\nfunc (v *Value) Frob() {}\n"))
	require.ErrorContains(t, err, "Value.Frob")
}

func TestCopiedGOROOTHasTheFilesPutIn(t *testing.T) {
	src, dst := t.TempDir(), filepath.Join(t.TempDir(), "goroot")
	write := func(p, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(src, p)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(src, p), []byte(text), 0o666))
	}
	write("VERSION", "go1.26")
	write("src/runtime/race0.go", "old")
	write("src/runtime/chan.go", "same")
	write("src/sort/sort.go", "same")
	require.NoError(t, copyGOROOT(dst, src, map[string][]byte{"runtime/race0.go": []byte("new"), "internal/racepred/x.go": []byte("x")}))
	for p, want := range map[string]string{
		"VERSION": "go1.26", "src/runtime/race0.go": "new", "src/runtime/chan.go": "same",
		"src/sort/sort.go": "same", "src/internal/racepred/x.go": "x",
	} {
		b, err := os.ReadFile(filepath.Join(dst, p))
		require.NoError(t, err)
		require.Equal(t, want, string(b), p)
	}
	b, err := os.ReadFile(filepath.Join(src, "src/runtime/race0.go"))
	require.NoError(t, err)
	require.Equal(t, "old", string(b), "the original toolchain was changed")
}

func TestPrepareMendsAnInterruptedRun(t *testing.T) {
	cfg := Config{GOROOT: build.Default.GOROOT, GOVERSION: runtime.Version(), CacheDir: t.TempDir()}
	tc, err := Prepare(cfg)
	require.NoError(t, err)
	require.NotContains(t, strings.Join(tc.Env, " "), "GOROOT=")
	race0 := tc.Overlay[filepath.Join(cfg.GOROOT, "src", "runtime", "race0.go")]
	dir := filepath.Dir(filepath.Dir(race0))
	require.NoError(t, os.Remove(filepath.Join(dir, "complete")))
	require.NoError(t, os.Remove(race0))
	_, err = Prepare(cfg)
	require.NoError(t, err)
	require.FileExists(t, race0)
	left, err := os.ReadDir(filepath.Join(cfg.CacheDir, "seam"))
	require.NoError(t, err)
	require.Len(t, left, 1, "a temporary folder was left behind")
}

// TestTrim: what was used lately stays, and what an interrupted run has just left.
func TestTrim(t *testing.T) {
	parent, now := t.TempDir(), time.Now()
	for name, age := range map[string]time.Duration{"new": 0, "used": 2 * time.Hour, "old": cacheage.Max + time.Hour} {
		dir := filepath.Join(parent, name)
		require.NoError(t, materialize(dir, func(tmp string) error { return os.WriteFile(filepath.Join(tmp, "x"), nil, 0o666) }))
		require.NoError(t, os.Chtimes(filepath.Join(dir, completed), now.Add(-age), now.Add(-age)))
	}
	require.NoError(t, os.Mkdir(filepath.Join(parent, "tmp-1"), 0o777))
	require.True(t, used(filepath.Join(parent, "used")))
	require.NoError(t, trim(parent, now.Add(cacheage.Max-time.Hour)))
	left, err := filepath.Glob(filepath.Join(parent, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(parent, "new"), filepath.Join(parent, "tmp-1"), filepath.Join(parent, "used")}, left)
}

func TestPrepareCopiesAToolchainFromTheModuleCache(t *testing.T) {
	root := filepath.Join(t.TempDir(), "mod")
	tc := filepath.Join(root, "golang.org", "toolchain")
	require.NoError(t, os.MkdirAll(filepath.Dir(tc), 0o777))
	require.NoError(t, os.Symlink(build.Default.GOROOT, tc))
	got, err := Prepare(Config{GOROOT: tc, GOVERSION: runtime.Version(), GOMODCACHE: root, CacheDir: t.TempDir()})
	require.NoError(t, err)
	require.Empty(t, got.Overlay)
	require.Contains(t, got.Env, "GOROOT="+got.GOROOT)
	require.FileExists(t, filepath.Join(got.GOROOT, "src", "runtime", "zz_racepred_record.go"))
	require.FileExists(t, filepath.Join(got.GOROOT, "bin", "go"))
}
