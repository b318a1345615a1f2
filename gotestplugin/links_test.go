package gotestplugin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinkTo(t *testing.T) {
	modules, dir := t.TempDir(), t.TempDir()
	name, err := linkTo(modules, dir)
	if err != nil {
		t.Skip("no symbolic links: ", err)
	}
	to, err := os.Readlink(name)
	require.NoError(t, err)
	require.Equal(t, modules, to)
	again, err := linkTo(modules, dir)
	require.NoError(t, err)
	require.Equal(t, name, again)

	_, err = linkTo(modules, filepath.Join(modules, "cache"))
	require.ErrorContains(t, err, "RACEPRED_CACHE", "names below the link would be refused, too")
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.WriteFile(name, nil, 0o666))
	_, err = linkTo(modules, dir)
	require.ErrorIs(t, err, os.ErrExist)
}

func TestLinksRename(t *testing.T) {
	l := links{cache: "/mod", link: "/cache/link", modules: map[string]string{"a.com/a": filepath.FromSlash("/mod/a.com/a@v1.0.0")}}
	for from, to := range map[string]string{
		"/mod/a.com/a@v1.0.0":        "/cache/link/a.com/a@v1.0.0",
		"/mod/a.com/a@v1.0.0/b/c.go": "/cache/link/a.com/a@v1.0.0/b/c.go",
		"/mod/a.com/a@v1.0.01/c.go":  "/mod/a.com/a@v1.0.01/c.go",
		"/m/c.go":                    "/m/c.go",
	} {
		require.Equal(t, filepath.FromSlash(to), l.rename(filepath.FromSlash(from)))
	}
}
