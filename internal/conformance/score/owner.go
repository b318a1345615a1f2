package score

import "strings"

// raceReport is a race's report, cut out of a test's output.
type raceReport struct {
	accesses []stack
	created  map[string]stack // by what the report calls the goroutine, as in "goroutine 8"
}

// stack is that of an access.
type stack struct {
	goroutine string
	funcs     []string // as in "racetests.TestRaceX.func1", innermost first
}

// parseReport reads the report whose lines begin behind its headline. Its form is that of go test
// -race: paragraphs of a header and the frames of a stack, to the next ruler.
func parseReport(lines []string) raceReport {
	r := raceReport{created: map[string]stack{}}
	var at func(stack) // takes the stack at hand
	var cur stack
	end := func() {
		if at != nil {
			at(cur)
		}
		at, cur = nil, stack{}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, ruler) {
			break
		}
		fn, frame := strings.CutPrefix(line, "  ")
		switch {
		case line == "":
			end()
		case frame && !strings.HasPrefix(fn, " "):
			if name, ok := strings.CutSuffix(fn, "()"); ok {
				cur.funcs = append(cur.funcs, name)
			}
		case frame:
		default:
			end()
			if goroutine, ok := accessHeader(line); ok {
				cur.goroutine = goroutine
				at = func(s stack) { r.accesses = append(r.accesses, s) }
			} else if goroutine, ok := createdHeader(line); ok {
				at = func(s stack) { r.created[goroutine] = s }
			}
		}
	}
	end()
	return r
}

const ruler = "=================="

const maxWords = 3 // as in "Previous atomic write"

// accessHeader reads "Previous write at 0x00c000018298 by goroutine 8:". A late report has no
// address (S8).
func accessHeader(line string) (goroutine string, ok bool) {
	what, goroutine, ok := strings.Cut(strings.TrimSuffix(line, ":"), " by ")
	return goroutine, ok && strings.HasSuffix(line, ":") && (strings.Contains(what, " at 0x") || len(strings.Fields(what)) <= maxWords)
}

// createdHeader reads "Goroutine 8 (running) created at:".
func createdHeader(line string) (goroutine string, ok bool) {
	number, ok := strings.CutPrefix(line, "Goroutine ")
	number, _, _ = strings.Cut(number, " ")
	return "goroutine " + number, ok && strings.HasSuffix(line, " created at:")
}

// of says whether all accesses of the report are the test's own (S7).
func (r raceReport) of(test string) bool {
	for _, a := range r.accesses {
		if !a.runs(test) && !r.created[a.goroutine].runs(test) {
			return false
		}
	}
	return len(r.accesses) > 0
}

// runs says whether a test's function, or a literal in it, is on the stack.
func (s stack) runs(test string) bool {
	for _, fn := range s.funcs {
		_, name, _ := strings.Cut(fn[strings.LastIndexByte(fn, '/')+1:], ".")
		if name == test || strings.HasPrefix(name, test+".") {
			return true
		}
	}
	return false
}
