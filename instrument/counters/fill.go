package counters

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Strip is a template without its slots.
func Strip(template []byte) []byte {
	if !bytes.Contains(template, []byte(mark)) {
		return template
	}
	var b bytes.Buffer
	b.Grow(len(template))
	_ = each(template, b.Write, func(int) {})
	return b.Bytes()
}

// Fill is a template with what the cover tool put into the original. (K3)
func Fill(template []byte, f *File) ([]byte, error) {
	texts := map[int]string{}
	for _, in := range f.Insertions {
		texts[in.Offset] = in.Text
	}
	var b bytes.Buffer
	b.WriteString(f.Head)
	filled := map[int]bool{}
	err := each(template, b.Write, func(at int) {
		b.WriteString(texts[at])
		filled[at] = true
	})
	if err != nil {
		return nil, err
	}
	for _, in := range f.Insertions {
		if !filled[in.Offset] {
			return nil, fmt.Errorf("the rewritten file has no place for %q at offset %d of the original", strings.TrimSpace(in.Text), in.Offset)
		}
	}
	b.WriteString(f.Tail)
	return b.Bytes(), nil
}

func discard(text []byte) (int, error) { return len(text), nil }

// each goes through a template: text and slots in order.
func each(template []byte, text func([]byte) (int, error), slot func(at int)) error {
	for {
		before, rest, ok := bytes.Cut(template, []byte(mark))
		_, _ = text(before)
		if !ok {
			return nil
		}
		number, after, _ := bytes.Cut(rest, []byte(mark))
		at, err := strconv.Atoi(string(number))
		if err != nil {
			return fmt.Errorf("internal error: a slot without an offset: %.20q", number)
		}
		slot(at)
		template = after
	}
}
