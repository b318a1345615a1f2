// Package fake lays a stand-in for racepred's runtime into the build of
// rewritten code, for tests: it checks or prints what is recorded, and predicts nothing.
package fake

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/rt"
)

//go:embed runtime.go.txt
var runtimeSource []byte

// Log says which accesses are printed to standard error, as "@OP LINE:COL EXPR of CLASS in FILE".
type Log int

const (
	Quiet Log = iota
	Every     // each time
	Once      // each place once, or a few times
	// Addresses has each address of a place once, as "@OP ADDRESS SIZE LINE:COL ..."; accesses that
	// the compiler sees are "#OP ADDRESS SIZE LINE of CLASS in FILE".
	Addresses
)

// Overlay writes an overlay for the go command into dir: the rewritten files
// and, in packages runtime and sync/atomic, what they call.
func Overlay(dir string, files map[string][]byte, log Log) (path string, err error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	std := filepath.Join(strings.TrimSpace(string(out)), "src")
	runtime := filepath.Join(std, "runtime")
	src := runtimeSource
	if log != Quiet {
		src = bytes.Replace(src, []byte("const fakeLog = false"), []byte("const fakeLog = true"), 1)
	}
	if log == Addresses {
		src = bytes.Replace(src, []byte("const fakeAddresses = false"), []byte("const fakeAddresses = true"), 1)
	}
	if log == Once || log == Addresses {
		src = bytes.Replace(src, []byte("const fakeOnce = false"), []byte("const fakeOnce = true"), 1)
	}
	all := map[string][]byte{
		filepath.Join(runtime, "zz_racepred_fake.go"):                  src,
		filepath.Join(runtime, "zz_racepred_helpers.go"):               instrument.HelperSource(),
		filepath.Join(std, "sync", "atomic", "zz_racepred_discard.go"): instrument.DiscardSource(),
	}
	for _, name := range []string{"wrappers.go", "wrappers_linux.go", "wrappers_other.go", "protect_linux.go", "protect_other.go"} {
		b, err := rt.Sources.ReadFile("runtimehooks/" + name)
		if err != nil {
			return "", err
		}
		all[filepath.Join(runtime, "zz_racepred_"+name)] = bytes.Replace(b, []byte("racepred_seam"), []byte("!race"), 1)
	}
	for name, b := range files {
		all[name] = b
	}
	replace := map[string]string{}
	for name, b := range all {
		to := filepath.Join(dir, "overlay", strings.ReplaceAll(strings.TrimPrefix(name, "/"), "/", "+"))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, b, 0o644); err != nil {
			return "", err
		}
		replace[name] = to
	}
	b, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o644)
}
