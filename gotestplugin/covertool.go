package gotestplugin

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/racepred/racepred/instrument/counters"
)

// version prints the cover tool's version with ours. The go command takes the whole line or, of a
// development version, the end of its last word. (V3)
func (t *toolCall) version() error {
	var out bytes.Buffer
	if err := t.command(t.words(t.tool...), &out).Run(); err != nil {
		return err
	}
	line := strings.TrimSpace(out.String())
	between := " "
	if f := strings.Fields(line); len(f) > 2 && strings.Contains(f[2], "devel") {
		between = "-"
	}
	_, err := fmt.Fprintf(t.out, "%s%sracepred-%s\n", line, between, t.plan.Version)
	return err
}

// coverCall is the command line of the cover tool.
type coverCall struct {
	config, mode, variable, list string
	files                        []string // the originals
	outputs                      []string // what becomes of them; before them, the file with the variables
}

// coverCall reads the command line of the cover tool.
func (t *toolCall) coverCall() (*coverCall, error) {
	c := &coverCall{}
	f := flag.NewFlagSet("cover", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.config, "pkgcfg", "", "")
	f.StringVar(&c.mode, "mode", "", "")
	f.StringVar(&c.variable, "var", "", "")
	f.StringVar(&c.list, "outfilelist", "", "")
	if err := f.Parse(t.tool[1:]); err != nil {
		return nil, fmt.Errorf("the go command calls the cover tool in a way that is not known: %w", err)
	}
	c.files = f.Args()
	data, err := os.ReadFile(c.list)
	if err != nil {
		return nil, err
	}
	c.outputs = strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(c.outputs) != len(c.files)+1 {
		return nil, fmt.Errorf("the go command calls the cover tool in a way that is not known: %d files for %d", len(c.outputs), len(c.files))
	}
	return c, nil
}

// join runs the cover tool and puts what it inserted into the rewritten files.
func (t *toolCall) join() error {
	c, err := t.coverCall()
	if err != nil {
		return err
	}
	if err := t.cover(c); err != nil {
		return err
	}
	for i, file := range c.files {
		out := c.outputs[i+1]
		if template := t.plan.Templates[file]; template != "" {
			if err := joinFile(file, template, out, c); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		} else if laid, ok := t.plan.Seam[file]; ok { // (V4)
			text, err := os.ReadFile(laid.Text)
			if err != nil {
				return err
			}
			if err := os.WriteFile(out, append([]byte("//line "+file+":1:1\n"), text...), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// cover runs the cover tool on the originals. It leaves out files that the seam has added; if all
// are such, the tool only makes the package known.
func (t *toolCall) cover(c *coverCall) error {
	mode, files, outputs := c.mode, []string(nil), c.outputs[:1:1]
	for i, file := range c.files {
		if laid, ok := t.plan.Seam[file]; ok {
			file = laid.Original
		}
		if file != "" {
			files, outputs = append(files, file), append(outputs, c.outputs[i+1])
		}
	}
	if slices.Equal(files, c.files) {
		return t.command(t.words(t.tool...), t.out).Run()
	}
	if len(files) == 0 {
		mode, files, outputs = "regonly", []string{t.plan.Seam[c.files[0]].Text}, c.outputs[:2]
	}
	list := c.list + ".racepred"
	if err := os.WriteFile(list, []byte(strings.Join(outputs, "\n")+"\n"), 0o666); err != nil {
		return err
	}
	words := t.words(t.tool[0], "-pkgcfg", c.config, "-mode", mode, "-var", c.variable, "-outfilelist", list)
	return t.command(append(words, files...), t.out).Run()
}

// joinFile puts the counters of a covered file, out, into the rewritten one. (V1)
func joinFile(original, template, out string, c *coverCall) error {
	src, err := os.ReadFile(original)
	if err != nil {
		return err
	}
	covered, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	f, err := counters.Read(src, covered, c.mode, c.variable)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(template)
	if err != nil {
		return err
	}
	joined, err := counters.Fill(text, f)
	if err != nil {
		return err
	}
	return os.WriteFile(out, joined, 0o666)
}
