package gotestplugin

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// shard is the value of -shard: the i-th of n parts of the named packages. The zero value is all of
// them.
type shard struct{ index, of int }

func parseShard(value string) (s shard, err error) {
	i, n, ok := strings.Cut(value, "/")
	s.index, err = strconv.Atoi(i)
	if err == nil {
		s.of, err = strconv.Atoi(n)
	}
	if !ok || err != nil || s.index < 1 || s.index > s.of {
		return shard{}, errors.New("it is i/n, with i from 1 to n")
	}
	return s, nil
}

// deal says which shard, from 0, each of the packages is in. It depends on nothing but its
// arguments, so that each machine comes to the same result:
//
// (S1) in turn, the longest first and by path among equals, each package goes to the shard that has
// least to do so far, the first of several;
// (S2) a package of unknown duration counts as long as the average of the known ones; one without
// tests counts as no time.
func deal(packages []dealt, n int) map[string]int {
	known, sum := 0, 0.0
	for _, p := range packages {
		if p.tests && p.seconds > 0 {
			known, sum = known+1, sum+p.seconds
		}
	}
	average := 1.0
	if known > 0 {
		average = sum / float64(known)
	}
	packages = slices.Clone(packages)
	for i := range packages { // (S2)
		switch p := &packages[i]; {
		case !p.tests:
			p.seconds = 0
		case p.seconds <= 0:
			p.seconds = average
		}
	}
	slices.SortFunc(packages, func(a, b dealt) int { return cmp.Or(-cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.path, b.path)) })
	of, load := map[string]int{}, make([]float64, n)
	for _, p := range packages { // (S1)
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		of[p.path] = least
		load[least] += p.seconds
	}
	return of
}

// dealt is a package for deal.
type dealt struct {
	path    string
	tests   bool
	seconds float64 // 0 when unknown
}

// dealHash identifies a division: its shards have the same hash.
func dealHash(of map[string]int, n int) string {
	h := fnv.New64a()
	paths := make([]string, 0, len(of))
	for p := range of {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		fmt.Fprintf(h, "%s\x00%d\n", p, of[p])
	}
	return fmt.Sprintf("%x/%d", h.Sum64(), n)
}

// takeShard returns the packages of the shard that -shard names.
func (j *job) takeShard(packages []*goPackage) (mine []*goPackage, err error) {
	s := j.args.shard
	if s.of == 0 {
		return packages, nil
	}
	seconds, err := j.shardTimes()
	if err != nil {
		return nil, err
	}
	var all []dealt
	for _, p := range packages {
		all = append(all, dealt{p.ImportPath, p.Error != nil || len(p.TestGoFiles)+len(p.XTestGoFiles) > 0, seconds[p.ImportPath]})
	}
	of := deal(all, s.of)
	j.shard = &report.Shard{Index: s.index, Of: s.of, Deal: dealHash(of, s.of)}
	for _, p := range packages {
		if of[p.ImportPath] == s.index-1 {
			mine = append(mine, p)
		}
	}
	if !j.printsEvents() {
		fmt.Fprintf(j.err, "racepred: shard %s: %d of %d packages\n", j.shard, len(mine), len(packages))
	}
	return mine, nil
}
