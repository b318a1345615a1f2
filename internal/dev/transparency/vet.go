package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

var diagnostic = regexp.MustCompile(`^(?:vet: )?(\S+\.go):(\d+)(?::\d+)?: (.*)$`)

// vet runs go vet and returns what it says, without columns.
func vet(dir string, names map[string]string, flags, patterns []string) []string {
	cmd := exec.Command("go", append(append([]string{"vet"}, flags...), patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	var lines []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		m := diagnostic.FindStringSubmatch(line)
		switch {
		case m != nil:
			file := m[1]
			for to, from := range names {
				if strings.HasSuffix(to, strings.TrimLeft(file, "./")) {
					file = from
				}
			}
			lines = append(lines, file[strings.LastIndex(file, "/")+1:]+":"+m[2]+": "+m[3])
		case line == "" || strings.HasPrefix(line, "#"):
		default:
			lines = append(lines, line)
		}
	}
	if err != nil && len(lines) == 0 {
		lines = append(lines, "go vet: "+err.Error())
	}
	return lines
}

// vetted lists what go vet says of rewritten files only.
func (p *prepared) vetted(u unit) (found []string) {
	plain := vet(p.dir, nil, nil, u.patterns)
	for _, line := range vet(p.dir, p.names, []string{"-overlay=" + p.overlay}, u.patterns) {
		if !slices.Contains(plain, line) && !slices.Contains(found, line) {
			found = append(found, line)
		}
	}
	return found
}
