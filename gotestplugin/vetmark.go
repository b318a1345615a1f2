package gotestplugin

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/vet"
)

const (
	markTime = time.Minute // for the vet pass of what a run has found
	markDirs = 20          // how many directories it looks at
)

// markVetted runs `racepred vet` on the packages that have accesses of findings, adds its messages
// to the findings, and prints them. It does nothing with -vet=off. If vet fails, it prints nothing:
// the findings do not depend on it.
func (j *job) markVetted(ctx context.Context, findings []report.Finding) {
	if _, off := vetFlags(j.args.vet, j.goEnv.GOVERSION); off || j.self == "" || len(findings) == 0 {
		return
	}
	root := j.goEnv.root(j.dir)
	dirs := directories(findings)
	if len(dirs) == 0 || len(dirs) > markDirs {
		return
	}
	for i, d := range dirs {
		dirs[i] = filepath.Join(root, filepath.FromSlash(d))
	}
	shown := j.startProgress(func() string { return "looking at the source of what was found" })
	ctx, stop := context.WithTimeout(ctx, markTime)
	defer stop()
	words := append([]string{"vet", "-vettool=" + j.self, "-json"}, j.args.loading()...)
	stdout, stderr, _ := j.goCmd.output(ctx, append(words, dirs...)...)
	shown.stop()
	found, _, _ := vet.Parse(slices.Concat(stdout, stderr))
	used, n := vet.Mark(findings, found)
	if n == 0 {
		return
	}
	of := fmt.Sprintf("%d of these %d findings", n, len(findings))
	if len(findings) == 1 {
		of = "this finding"
	}
	fmt.Fprintf(j.err, "racepred: the source alone shows %s, too (racepred vet):\n", of)
	for _, d := range used {
		d.Related = nil
		fmt.Fprintf(j.err, "racepred:   %s", vet.AppendText(nil, []vet.Diagnostic{d}, func(file string) string { return report.Rel(root, file) }, -1))
	}
}

// directories are those of the module that findings have accesses in.
func directories(findings []report.Finding) (dirs []string) {
	for i := range findings {
		for _, a := range findings[i].Accesses {
			file := filepath.ToSlash(a.File)
			if file == "" || filepath.IsAbs(a.File) || strings.HasPrefix(file, "../") {
				continue
			}
			dir := "."
			if i := strings.LastIndexByte(file, '/'); i >= 0 {
				dir = file[:i]
			}
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Sort(dirs)
	return dirs
}
