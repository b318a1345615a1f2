package gotestplugin

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// What is embedded is what it would be without racepred, also where a file of racepred's is
// compiled in place of a Go file that somebody embeds:
//
// (E1) the go command embeds what the overlay has for a file. So it runs the compiler through this
// program (tools.go), which hands the compiler a table of embedded files that has the originals:
// the files themselves, or what the user's own -overlay has for them;
// (E2) the go command knows the content of the overlay's file only, and reuses what was compiled
// with the same content. So a rewritten file that is embedded ends with the hash of what it was
// made of.

// embeds has the Go and other files that packages embed, as the go command names them before
// links.go does.
func (gr *graph) embeds() map[string]bool {
	files := map[string]bool{}
	for _, p := range gr.packages {
		for _, f := range p.EmbedFiles {
			files[filepath.Join(p.Dir, f)] = true
		}
	}
	return files
}

// embedded has, by the name of the file that the overlay has for it, the original of each embedded
// file. own is the user's own overlay. (E1)
func (gr *graph) embedded(overlay, own map[string]string) map[string]string {
	originals := map[string]string{}
	for name := range gr.embeds() {
		original := name
		if to, ok := own[name]; ok {
			original = to
		}
		if to := overlay[gr.links.rename(name)]; to != "" && to != original {
			originals[to] = original
		}
	}
	return originals
}

// embeddable adds to a rewritten file the hash of what it was made of. (E2)
func (gr *graph) embeddable(text []byte, name string) ([]byte, error) {
	src, err := gr.read(name)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(slices.Clip(text), "\n// Embedded as %x.\n", sha256.Sum256(src)), nil
}

// compile runs the compiler, with the originals as embedded files. (E1)
func (t *toolCall) compile() error {
	i := slices.Index(t.tool, "-embedcfg") + 1
	if i == 0 || i == len(t.tool) {
		return t.run()
	}
	data, err := os.ReadFile(t.tool[i])
	if err != nil {
		return err
	}
	var table map[string]json.RawMessage
	files := map[string]string{} // name in the package -> file
	err = json.Unmarshal(data, &table)
	if err == nil && table["Files"] != nil {
		err = json.Unmarshal(table["Files"], &files)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.tool[i], err)
	}
	changed := false
	for name, file := range files {
		if original := t.plan.Embedded[file]; original != "" {
			files[name], changed = original, true
		}
	}
	if !changed {
		return t.run()
	}
	if table["Files"], err = json.Marshal(files); err != nil {
		return err
	}
	if data, err = json.Marshal(table); err != nil {
		return err
	}
	t.tool[i] += ".racepred" // the go command removes it with its own
	if err := os.WriteFile(t.tool[i], data, 0o666); err != nil {
		return err
	}
	return t.run()
}
