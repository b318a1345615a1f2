package library

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// opaqueGenerics are the packages with generic functions whose calls are opaque, or that the tables
// know: none of these functions goes over memory of its caller, but jsontext's AppendQuote and
// AppendUnquote, which read a text.
var opaqueGenerics = strings.Fields("cmp crypto/hkdf crypto/pbkdf2 encoding/json/jsontext encoding/json/v2 errors hash/maphash iter math/rand/v2 reflect runtime sync unique weak")

// TestGenericPackages: a package of the library with generic functions is rewritten, or somebody
// has read it.
func TestGenericPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Dir}}", "std").Output()
	require.NoError(t, err)
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains("/"+path+"/", "/internal/") || strings.HasPrefix(path, "vendor/") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && fn.Type.TypeParams != nil {
					found[path] = true
				}
			}
		}
	}
	for path := range found {
		if !OfPackage(path).Generic {
			require.Contains(t, opaqueGenerics, path)
		}
	}
	for _, path := range GenericPackages() {
		require.True(t, found[path], path)
	}
}
