package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/racepred/racepred/internal/trace"
)

// compare counts the traces that the file names, and says which counts differ from those that it
// has.
func compare(stdout io.Writer, file, dir string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var wrong []error
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var name, hash string
		var want counts
		if _, err := fmt.Sscan(line, &name, &hash, &want.hb, &want.shb, &want.wcp, &want.syncp, &want.proven, &want.candidates, &want.infeasible); err != nil {
			return fmt.Errorf("%s: %q: %w", file, line, err)
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(content); hash != hex.EncodeToString(sum[:8]) {
			return fmt.Errorf("%s is another trace", name)
		}
		evs, err := trace.ParseSTD(bytes.NewReader(content))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		got := count(evs, 200)
		got.took = 0
		if got != want {
			wrong = append(wrong, fmt.Errorf("%s: %+v, want %+v", name, got, want))
			continue
		}
		fmt.Fprintln(stdout, name, "as published")
	}
	return errors.Join(wrong...)
}
