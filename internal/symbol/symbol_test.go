package symbol

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	for symbol, want := range map[string][2]string{
		"m/a.f":                                {"m/a", "f"},
		"m/a.(*C[go.shape.int/x.y]).f":         {"m/a", "(*C[go.shape.int/x.y]).f"},
		"m/a.F[gopkg.in/x%2ev1.T].func1":       {"m/a", "F[gopkg.in/x%2ev1.T].func1"},
		"main.main":                            {"main", "main"},
		"gopkg.in/x.v1/y.F.func1":              {"gopkg.in/x.v1/y", "F.func1"},
		"gopkg.in/yaml%2ev3.(*Decoder).Decode": {"gopkg.in/yaml.v3", "(*Decoder).Decode"},
		"gopkg.in/yaml%2ev3_test.TestX":        {"gopkg.in/yaml.v3_test", "TestX"},
		"github.com/nats-io/nats%2ego.(*Conn).publish.gowrap1": {"github.com/nats-io/nats.go", "(*Conn).publish.gowrap1"},
		"github.com/nats-io/nats.go/internal/parser.F":         {"github.com/nats-io/nats.go/internal/parser", "F"},
		"example%2ecom.F":         {"example.com", "F"},
		"ex.com/a%2eb%2ec.init.0": {"ex.com/a.b.c", "init.0"},
		"ex.com/%c3%a4.F":         {"ex.com/ä", "F"},
		"ex.com/a%25b.F":          {"ex.com/a%b", "F"},
		"type:.eq.[2]ex.com/m.T":  {"type:", "eq.[2]ex.com/m.T"},
		"f":                       {"", "f"},
		"":                        {"", ""},
	} {
		path, name := Split(symbol)
		require.Equal(t, want, [2]string{path, name}, symbol)
	}
}

func TestReadable(t *testing.T) {
	for symbol, want := range map[string]string{
		"m/a.f":                  "m/a.f",
		"gopkg.in/yaml%2ev3.F":   "gopkg.in/yaml.v3.F",
		"m.F[gopkg.in/x%2ev1.T]": "m.F[gopkg.in/x.v1.T]",
		"ex.com/a%25b.F":         "ex.com/a%b.F",
		"ends with %2":           "ends with %2",
		"no number %zz":          "no number %zz",
	} {
		require.Equal(t, want, Readable(symbol))
	}
}

// TestOnlyHere looks for code that takes symbol names apart by itself.
func TestOnlyHere(t *testing.T) {
	for _, dir := range []string{"../symbolize", "../classify", "../present", "../report", "../report/collect", "../offline", "../../rt/process", "../../rt/runtimehooks"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			require.False(t, strings.Contains(string(src), "LastIndexByte(fn") || strings.Contains(string(src), "LastIndexByte(name"), file)
		}
	}
}
