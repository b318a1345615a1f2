package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/racepred/racepred/internal/dev/fetch"
)

// cost is what one process took, its children included.
type cost struct{ wall, cpu time.Duration }

func (c cost) String() string {
	return fmt.Sprintf("%7.2fs CPU %7.2fs wall", c.cpu.Seconds(), c.wall.Seconds())
}

// took runs a command. A failing test does not matter.
func took(ctx context.Context, dir, gocache string, argv ...string) (cost, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOCACHE="+gocache, "GOFLAGS=-mod=mod", "GOWORK=off")
	start := time.Now()
	out, err := cmd.CombinedOutput()
	c := cost{wall: time.Since(start)}
	if cmd.ProcessState == nil {
		return c, fmt.Errorf("%s: %w", argv[0], err)
	}
	if err != nil && argv[0] != "go" {
		return c, fmt.Errorf("%s: %w\n%s", argv[0], err, out)
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return c, ctx.Err()
}

// median of costs, of CPU and wall time apart.
func median(costs []cost) cost {
	var wall, cpu []time.Duration
	for _, c := range costs {
		wall, cpu = append(wall, c.wall), append(cpu, c.cpu)
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	return cost{wall[len(wall)/2], cpu[len(cpu)/2]}
}

func ratio(a, b cost) string {
	return fmt.Sprintf("%.3f of CPU, %.3f of wall time", a.cpu.Seconds()/b.cpu.Seconds(), a.wall.Seconds()/b.wall.Seconds())
}

// measure prints all costs and their ratios, and writes the page.
func (c *config) measure(ctx context.Context, stdout io.Writer) error {
	tmp, err := os.MkdirTemp("", "racepred-cost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if c.dir == "" {
		c.dir = filepath.Join(tmp, "module")
		if err := fetch.Module(ctx, c.module, c.dir); err != nil {
			return err
		}
	} else if c.dir, err = filepath.Abs(c.dir); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	pkgs, err := list(ctx, c.dir, c.patterns)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s %v: %d lines\n", c.module, c.patterns, lines(pkgs))
	p := page{what: fmt.Sprintf("%s, `%s`, %d lines with tests", c.module, strings.Join(c.patterns, " "), lines(pkgs))}
	gocache := filepath.Join(tmp, "vet")
	units := filepath.Join(tmp, "units")
	rewrite := append([]string{self, "-C", c.dir, "-rewrite", units}, c.patterns...)
	goes := func(args ...string) []string { return append(append([]string{"go"}, args...), c.patterns...) }
	if c.cold {
		vet, err := took(ctx, c.dir, gocache, goes("vet")...)
		if err != nil {
			return err
		}
		own, err := took(ctx, c.dir, filepath.Join(tmp, "rewrite"), rewrite...)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "cold: go vet     %v\n      rewriting  %v: %s (the goal is 1.5)\n", vet, own, ratio(own, vet))
		p.row("empty caches", own, "`go vet`", vet, 1.5)
	}
	if !c.warm {
		return p.write(c)
	}
	test := goes("test", "-run=^$")
	once := goes("test", "-run=^$", "-count=1")
	if c.gocache != "" {
		gocache = c.gocache
	}
	for _, argv := range [][]string{test, rewrite} {
		if _, err := took(ctx, c.dir, gocache, argv...); err != nil {
			return err
		}
	}
	var tests, onces, rewrites []cost
	for range c.rounds {
		for _, m := range []struct {
			to   *[]cost
			argv []string
		}{{&tests, test}, {&rewrites, rewrite}, {&onces, once}} {
			took, err := took(ctx, c.dir, gocache, m.argv...)
			if err != nil {
				return err
			}
			*m.to = append(*m.to, took)
		}
	}
	t, o, r := median(tests), median(onces), median(rewrites)
	fmt.Fprintf(stdout, "warm: go test, cached results  %v\n      go test -count=1         %v\n      rewriting                %v: %s of go test -count=1 (the goal is 0.1), %s of cached results\n",
		t, o, r, ratio(r, o), ratio(r, t))
	p.row("nothing changed", r, "`go test -run '^$' -count=1`", o, 0.1)
	p.row("nothing changed", r, "`go test -run '^$'`, results cached", t, 0)
	return p.write(c)
}
