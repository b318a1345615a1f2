package gotestplugin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// baseline is a file of findings that are known. It has no line numbers, so that it changes only when they do.
type baseline struct {
	Version  int             `json:"version"`
	Findings []knownFindings `json:"findings"` // by fingerprint

	name string
}

// knownFindings is one fingerprint, and for people what it was when it was written down.
type knownFindings struct {
	Fingerprint string      `json:"fingerprint"`
	Kind        report.Kind `json:"kind"`
	Package     string      `json:"package,omitempty"`
	Test        string      `json:"test,omitempty"`
	Variable    string      `json:"variable,omitempty"`
	Functions   []string    `json:"functions"`
}

const baselineVersion = 1

// readBaseline reads the file. One that is not there is an empty one if it is to be written anyway.
func readBaseline(name string, update bool) (*baseline, error) {
	b := &baseline{Version: baselineVersion, name: name}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if update {
			return b, nil
		}
		return nil, fmt.Errorf("-baseline: %w (-baseline-update writes it)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("-baseline: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(b); err != nil {
		return nil, fmt.Errorf("-baseline: %s is no baseline: %w, at byte %d", name, err, d.InputOffset())
	}
	if d.More() {
		return nil, fmt.Errorf("-baseline: %s is no baseline: it goes on after its end, at byte %d", name, d.InputOffset())
	}
	if b.Version != baselineVersion {
		return nil, fmt.Errorf("-baseline: %s has version %d, and this racepred reads version %d", name, b.Version, baselineVersion)
	}
	for i := range b.Findings {
		if b.Findings[i].Fingerprint == "" {
			return nil, fmt.Errorf("-baseline: %s is no baseline: finding %d has no fingerprint", name, i+1)
		}
	}
	return b, nil
}

func (b *baseline) fingerprints() map[string]bool {
	all := make(map[string]bool, len(b.Findings))
	for i := range b.Findings {
		all[b.Findings[i].Fingerprint] = true
	}
	return all
}

// unseen counts the findings that are not among those found.
func (b *baseline) unseen(found []report.Finding) int {
	all := b.fingerprints()
	for i := range found {
		delete(all, found[i].Fingerprint)
	}
	return len(all)
}

// add takes in those found that would have failed something, and returns how many are new.
func (b *baseline) add(found []report.Finding) (added int) {
	all := b.fingerprints()
	for i := range found {
		f := &found[i]
		if f.Waived != waive.ByNewBaseline || all[f.Fingerprint] {
			continue
		}
		all[f.Fingerprint] = true
		added++
		k := knownFindings{Fingerprint: f.Fingerprint, Kind: f.Kind, Package: f.Package, Test: f.Test, Variable: f.Variable, Functions: []string{}}
		for j := range f.Accesses {
			k.Functions = append(k.Functions, f.Accesses[j].Func)
		}
		b.Findings = append(b.Findings, k)
	}
	return added
}

// write writes the file anew, or leaves the old one as it is.
func (b *baseline) write() error {
	slices.SortFunc(b.Findings, func(x, y knownFindings) int { return cmp.Compare(x.Fingerprint, y.Fingerprint) })
	if b.Findings == nil {
		b.Findings = []knownFindings{}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(b); err != nil {
		return err
	}
	return writeAtomically(b.name, out.Bytes())
}
