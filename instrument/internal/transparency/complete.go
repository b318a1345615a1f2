package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/racepred/racepred/instrument"
	"github.com/racepred/racepred/instrument/internal/fake"
)

var logLine = regexp.MustCompile(`@(read|write) (\d+)(?::\d+)?.* in (\S+)`)

// at is one kind of access at one line.
type at struct {
	file string
	line int
	kind string
}

// missing prints the accesses of the compiler's that the rewriter lacks.
func missing(dir, tmp, filter string, patterns []string, res *instrument.Result, stdout, stderr io.Writer) int {
	known := map[string]bool{}
	for name := range res.Files {
		known[name] = true
	}
	log := func(sub string, files map[string][]byte, flags ...string) (map[at]bool, error) {
		over := filepath.Join(tmp, sub)
		if err := os.MkdirAll(over, 0o755); err != nil {
			return nil, err
		}
		overlay, err := fake.Overlay(over, files, true)
		if err != nil {
			return nil, err
		}
		args := append([]string{"test", "-count=1", "-short", "-vet=off", "-parallel=1", "-overlay=" + overlay, "-run=" + filter}, flags...)
		cmd := exec.Command("go", append(args, patterns...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		cmd.Stderr = stderr
		out, _ := cmd.Output() // failing tests do not matter
		set := map[at]bool{}
		sc := bufio.NewScanner(bytes.NewReader(out))
		sc.Buffer(nil, 1<<24)
		for sc.Scan() {
			for _, m := range logLine.FindAllStringSubmatch(sc.Text(), -1) {
				n, err := strconv.Atoi(m[2])
				if err == nil && known[m[3]] {
					set[at{m[3], n, m[1]}] = true
				}
			}
		}
		return set, nil
	}
	have, err := log("rewritten", res.Files)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	want, err := log("compiled", nil, "-gcflags=-race -l")
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	var lack []at
	for a := range want {
		if !have[a] {
			lack = append(lack, a)
		}
	}
	sort.Slice(lack, func(i, j int) bool {
		a, b := lack[i], lack[j]
		if a.file != b.file {
			return a.file < b.file
		}
		if a.line != b.line {
			return a.line < b.line
		}
		return a.kind < b.kind
	})
	for _, a := range lack {
		fmt.Fprintf(stdout, "%s:%d: %s: %s\n", filepath.Base(a.file), a.line, a.kind, strings.TrimSpace(sourceLine(a)))
	}
	fmt.Fprintf(stdout, "the compiler sees %d, the rewriter %d; %d are missing\n", len(want), len(have), len(lack))
	return 0
}

func sourceLine(a at) string {
	b, err := os.ReadFile(a.file)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(b), "\n")
	if a.line < 1 || a.line > len(lines) {
		return ""
	}
	return lines[a.line-1]
}
