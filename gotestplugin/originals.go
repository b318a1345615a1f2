package gotestplugin

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/racepred/racepred/internal/protocol"
)

// originals hands output of tests on. In a line that begins with a tab and a file of the copied
// GOROOT, as those of stack traces do, the file is named as in the original one.
type originals struct {
	to             io.Writer
	copy, original []byte // how such a line begins, and how instead
	json           bool   // each Write is a whole line, and an event has the line of the test
	matched        int    // so much of copy is the line so far, which is held back; -1: it begins otherwise
}

func newOriginals(to io.Writer, c protocol.Copied, inJSON bool) *originals {
	begins := func(dir string) []byte {
		line := "\t" + dir + string(filepath.Separator)
		if !inJSON {
			return []byte(line)
		}
		text, _ := json.Marshal(line) // of a string, which is no error
		return append([]byte(`"Output":`), text[:len(text)-1]...)
	}
	return &originals{to: to, copy: begins(c.Copy), original: begins(c.Original), json: inJSON}
}

func (o *originals) Write(p []byte) (int, error) {
	var out []byte
	if o.json {
		out = bytes.Replace(p, o.copy, o.original, 1)
	} else {
		out = o.replaced(p)
	}
	if _, err := o.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (o *originals) replaced(p []byte) []byte {
	out := make([]byte, 0, len(p)+len(o.copy))
	for _, c := range p {
		if o.matched >= 0 {
			if c == o.copy[o.matched] {
				if o.matched++; o.matched == len(o.copy) {
					out, o.matched = append(out, o.original...), -1
				}
				continue
			}
			out, o.matched = append(out, o.copy[:o.matched]...), -1
		}
		out = append(out, c)
		if c == '\n' {
			o.matched = 0
		}
	}
	return out
}

// flush hands on what is held back.
func (o *originals) flush() {
	if o.matched > 0 {
		_, _ = o.to.Write(o.copy[:o.matched])
		o.matched = -1
	}
}
