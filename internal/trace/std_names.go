package trace

import (
	"math"
	"sort"
	"strconv"
)

// Problem is what no run can have, with its line.
type Problem struct {
	Line int
	Text string
}

// keepProblems is how many are kept; the others are counted.
const keepProblems = 3

// Problems are the first ones of what was read, and how many more there are.
func (s *STDReader) Problems() (first []Problem, more int) { return s.problems, s.more }

func (s *STDReader) problem(text string) {
	if len(s.problems) < keepProblems {
		s.problems = append(s.problems, Problem{s.n, text})
	} else {
		s.more++
	}
}

// lockProblem is one of a lock that holder has, 0 for nobody.
func (s *STDReader) lockProblem(g G, does string, lock uint32, holder G) {
	if len(s.problems) == keepProblems {
		s.more++
		return
	}
	threads, but := s.names[OnG].all(), "which it does not hold"
	if holder > 0 {
		but = "which " + threads[holder-1] + " holds"
	}
	s.problem(threads[g-1] + " " + does + " " + s.names[OnLock].all()[lock-1] + ", " + but)
}

// LineOf is the line of an event, by how many came before it.
func (s *STDReader) LineOf(event Seq) int {
	line := int(event) + 1
	return line + sort.Search(len(s.within), func(k int) bool { return s.within[k]-k > line })
}

// Names are the names of what is numbered in one way, in the order of their numbers, from 1.
func (s *STDReader) Names(of Operand) []string { return s.names[of].all() }

// Location is what the trace has for a site.
func (s *STDReader) Location(site Site) string {
	if site > maxLocation {
		return s.locations.all()[site-maxLocation-1]
	}
	return strconv.Itoa(int(site))
}

// maxLocation is the largest location that is its own site. Those above are names.
const maxLocation = math.MaxInt32 - 1<<24
