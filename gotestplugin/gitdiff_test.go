package gotestplugin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/waive"
)

const diff = `diff --git a/a.go b/a.go
index 1..2 100644
--- a/a.go
+++ b/a.go
@@ -3 +3,2 @@ func F() {
-	x = 1
+	x = 2
++++ b/no.go
@@ -9,2 +10,0 @@
---- a/x
-	mu.Lock()
diff --git a/gone.go b/gone.go
--- a/gone.go
+++ /dev/null
@@ -1,2 +0,0 @@
-package a
-
diff --git "a/t\303\244b\t.go" "b/t\303\244b\t.go"
--- "a/t\303\244b\t.go"
+++ "b/t\303\244b\t.go"
@@ -0,0 +1 @@
+package a
diff --git a/old name.go b/new name.go
similarity index 90%
rename from old name.go
rename to new name.go
--- a/old name.go	
+++ b/new name.go	
@@ -5 +5 @@
-a
+b
\ No newline at end of file
`

func TestParseDiff(t *testing.T) {
	files, err := parseDiff([]byte(diff))
	require.NoError(t, err)
	require.Equal(t, map[string][]hunk{
		"a.go":        {{first: 3, count: 2, removed: []string{"\tx = 1"}}, {first: 10, count: 0, removed: []string{"--- a/x", "\tmu.Lock()"}}},
		"täb\t.go":    {{first: 1, count: 1}},
		"new name.go": {{first: 5, count: 1, removed: []string{"a"}}},
	}, files)
	_, err = parseDiff([]byte("+++ b/a.go\n@@ what @@\n"))
	require.ErrorContains(t, err, "line 2 of git's diff is no hunk")
}

func TestChangedLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(file, []byte("package a\n\nfunc F() {\n\tx++\n\n\ty++\n}\n\nfunc G() {\n\tx++\n}\n"), 0o666))
	lines := func(h ...hunk) []waive.Lines { return changedLines(file, h) }
	require.Equal(t, []waive.Lines{{First: 4, Last: 4}}, lines(hunk{4, 1, []string{"\tx--"}}), "a changed line")
	require.Empty(t, lines(hunk{4, 0, []string{"\tx--"}}), "a removed line")
	require.Equal(t, []waive.Lines{{First: 3, Last: 7}}, lines(hunk{3, 0, []string{"\tmu.Lock()"}}), "a removed lock, first in its function")
	require.Equal(t, []waive.Lines{{First: 3, Last: 7}}, lines(hunk{6, 0, []string{"\tz++", "\tmu.Unlock()"}}), "last in its function")
	require.Equal(t, []waive.Lines{{First: 5, Last: 5}, {First: 3, Last: 7}}, lines(hunk{5, 1, []string{"\t<-done"}}), "a receive became something else")
	require.Empty(t, lines(hunk{7, 0, []string{"func H() { mu.Lock() }"}}), "between functions")
}
