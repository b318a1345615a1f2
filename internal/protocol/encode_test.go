package protocol

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racepred/racepred/internal/report"
)

// names draws what a name may hold, bytes that are no UTF-8 included.
func names() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 3).Draw(t, "raw") == 0 {
			return string(rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "bytes"))
		}
		return rapid.StringN(0, 12, -1).Draw(t, "string")
	})
}

// TestEncodeIsEncodingJSON holds the hand-written encoder against
// encoding/json: what either of them writes, encoding/json reads as the same value.
func TestEncodeIsEncodingJSON(t *testing.T) {
	frames := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) report.Frame {
		return report.Frame{Func: names().Draw(t, "func"), File: names().Draw(t, "file"), Line: rapid.Int().Draw(t, "line")}
	}), 0, 3)
	findings := rapid.Custom(func(t *rapid.T) report.Finding {
		f := report.Finding{
			ID: names().Draw(t, "id"), Fingerprint: names().Draw(t, "fingerprint"),
			Kind: report.Race, Verdict: report.Verdict(names().Draw(t, "verdict")),
			By: rapid.SliceOfN(names(), 0, 2).Draw(t, "by"), Package: names().Draw(t, "package"),
			Test: names().Draw(t, "test"), Variable: names().Draw(t, "variable"), Note: names().Draw(t, "note"),
			Rank: rapid.IntRange(0, 4).Draw(t, "rank"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "accesses") {
			f.Accesses = append(f.Accesses, report.Access{
				Op: names().Draw(t, "op"), File: names().Draw(t, "file"), Line: rapid.Int().Draw(t, "line"),
				Column: rapid.Int().Draw(t, "column"), Func: names().Draw(t, "func"),
				Goroutine: rapid.Int().Draw(t, "g"), Expr: names().Draw(t, "expr"),
				Stack: frames.Draw(t, "stack"), Created: frames.Draw(t, "created"),
				Locks: []report.Lock{{Name: names().Draw(t, "name"), File: names().Draw(t, "file"), Line: 3, Mode: "r"}},
			})
		}
		if rapid.Bool().Draw(t, "witness") {
			f.Unit = &report.Unit{Func: names().Draw(t, "unit"), File: "f", Line: 3, Marked: true}
			f.Witness = &report.Witness{Events: 7, Steps: []report.Step{{Goroutine: 1, Op: names().Draw(t, "op"), File: "f", Line: 2}}}
			f.Run = &report.Run{Steps: []report.Step{{
				Goroutine: 2, Op: "lock", File: "f", Line: 2, Column: 3, Name: names().Draw(t, "of"), Object: 1, Event: rapid.Uint64().Draw(t, "event"), Access: 2,
				After: []report.Edge{{Step: 3, Why: report.ByLock, Kept: rapid.Bool().Draw(t, "kept")}},
			}}}
		}
		return f
	})
	rapid.Check(t, func(t *rapid.T) {
		f := findings.Draw(t, "finding")
		line := AppendFinding(nil, &f)
		require.Equal(t, len(line)-1, bytes.IndexByte(line, '\n'), "(E1) one line")
		require.NotContains(t, string(line), "null", "(E2)")
		std, err := json.Marshal(f)
		require.NoError(t, err)
		require.Equal(t, normal[report.Finding](t, std), normal[report.Finding](t, line))
	})
}

// normal decodes JSON and drops the difference between no list and an empty one.
func normal[T any](t require.TestingT, data []byte) any {
	var strict T
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&strict))
	var loose any
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(data), "null", "[]")), &loose))
	return loose
}

func TestEncodeProcess(t *testing.T) {
	p := Process{
		PID: 12, PPID: 3, Package: `a"b`, Dir: "/m", Exit: 1, Races: 2, Failures: 1,
		Stats:     report.Stats{Events: 1, Filtered: 2, Candidates: 3, Infeasible: 6, Unknown: 4, Evicted: 5, Seconds: 1.25, Rules: []report.Rule{{Predictor: "wcp", Rule: "rule a", Fired: 7}}},
		Uncovered: []report.Uncovered{{Package: "m/x", Reason: "uses cgo"}, {Package: "m/y", Reason: "line\nbreak"}},
	}
	line := AppendProcess([]byte{}, &p)
	require.Equal(t, 1, bytes.Count(line, []byte("\n")))
	var back Process
	require.NoError(t, json.Unmarshal(line, &back))
	require.Equal(t, p, back)
}

// TestEncodeEveryField: no field of the model is forgotten.
func TestEncodeEveryField(t *testing.T) {
	var f report.Finding
	fill(reflect.ValueOf(&f).Elem())
	want, err := json.Marshal(f)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(AppendFinding(nil, &f)))
	var p Process
	fill(reflect.ValueOf(&p).Elem())
	want, err = json.Marshal(p)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(AppendProcess(nil, &p)))
}

// notOfProcess are fields that are only known where reports are put together, or of traces that a
// file has.
var notOfProcess = []string{"Also", "Thread", "Vet"}

// fill sets all that is in v.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !slices.Contains(notOfProcess, v.Type().Field(i).Name) {
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	default:
		panic(v.Type().String())
	}
}

func BenchmarkAppendFinding(b *testing.B) {
	f := cacheRace()
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendFinding(buf[:0], &f)
	}
}

// cacheRace is a finding that has everything.
func cacheRace() report.Finding {
	stack := []report.Frame{{Func: "example.com/m/cache.(*Cache).Put", File: "/src/m/cache/cache.go", Line: 41}}
	access := report.Access{
		Op: "write", File: "/src/m/cache/cache.go", Line: 41, Column: 3, Func: "(*Cache).Put",
		Goroutine: 8, Addr: 0xc0000b4010, Expr: "c.items[k]", Stack: stack, Created: stack,
		Locks: []report.Lock{{Name: "c.mu", File: "/src/m/cache/cache.go", Line: 39, Mode: "w"}},
	}
	return report.Finding{
		Kind: report.Race, Verdict: report.Predicted, By: []string{"wcp"},
		Package: "example.com/m/cache", Test: "TestCache", Variable: "c.items",
		Accesses: []report.Access{access, access},
		Witness:  &report.Witness{Events: 9, Steps: []report.Step{{Goroutine: 2, Op: "write", File: "/src/m/cache/cache_test.go", Line: 3}}},
	}
}
