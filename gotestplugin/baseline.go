package gotestplugin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/report/format"
)

// baseline is a file of findings that are known. It has no line numbers, so that it changes only
// when they do.
type baseline struct {
	Version  int             `json:"version"`
	Findings []knownFindings `json:"findings"` // by fingerprint

	name string
}

// knownFindings is one fingerprint. The other fields are for people: they describe the finding that
// was written first.
type knownFindings struct {
	Fingerprint string      `json:"fingerprint"`
	Kind        report.Kind `json:"kind"`
	Package     string      `json:"package,omitempty"`
	Test        string      `json:"test,omitempty"`
	Variable    string      `json:"variable,omitempty"`
	Functions   []string    `json:"functions"`
}

// baselineVersion is that of the file. It is one more when the fingerprints are others.
const baselineVersion = report.FingerprintVersion

// readBaseline reads the file of -baseline. A file that does not exist is an empty baseline if
// update says that it is about to be written.
func readBaseline(name string, update bool) (*baseline, error) {
	b := &baseline{Version: baselineVersion, name: name}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if update {
			if err := writable(filepath.Dir(name)); err != nil {
				return nil, inputf("-baseline: %w", err)
			}
			return b, nil
		}
		return nil, inputf("-baseline: %w (-baseline-update writes it)", err)
	}
	if err != nil {
		return nil, inputf("-baseline: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(b); err != nil {
		if _, notReport := format.Decode(data); notReport == nil {
			return nil, inputf("%s is a report, of which 'racepred baseline write' makes a baseline", name)
		}
		return nil, inputf("%s is no baseline: %w, at byte %d", name, err, d.InputOffset())
	}
	if d.More() {
		return nil, inputf("%s is no baseline: it goes on after its end, at byte %d", name, d.InputOffset())
	}
	switch {
	case b.Version > 0 && b.Version < baselineVersion:
		return nil, inputf("%s has fingerprints of version %d, and this racepred makes those of version %d: remove the file, and -baseline-update or 'racepred baseline write' makes a new one", name, b.Version, baselineVersion)
	case b.Version != baselineVersion:
		return nil, inputf("%s has version %d, and this racepred reads version %d", name, b.Version, baselineVersion)
	}
	for i := range b.Findings {
		if b.Findings[i].Fingerprint == "" {
			return nil, inputf("%s is no baseline: finding %d has no fingerprint", name, i+1)
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

// missing are the entries that are not among the findings found: gone are those of packages for
// which looked holds, others is the number of the rest.
func (b *baseline) missing(found []report.Finding, looked func(pkg string) bool) (gone []knownFindings, others int) {
	here := map[string]bool{}
	for i := range found {
		here[found[i].Fingerprint] = true
	}
	for _, k := range b.Findings {
		switch {
		case here[k.Fingerprint]:
		case looked(k.Package):
			gone = append(gone, k)
		default:
			others++
		}
	}
	return gone, others
}

// add adds the findings for which which holds, and returns how many of them are new.
func (b *baseline) add(found []report.Finding, which func(*report.Finding) bool) (added int) {
	all := b.fingerprints()
	for i := range found {
		f := &found[i]
		if !which(f) || all[f.Fingerprint] {
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

// String is the entry as one line: "race on c.n in TestInc of ex.com/m: (*C).Inc, (*C).Get
// [637db815b57989c1]".
func (k *knownFindings) String() string {
	s := string(k.Kind)
	if k.Variable != "" {
		s += " on " + k.Variable
	}
	if k.Test != "" {
		s += " in " + k.Test
	}
	if k.Package != "" {
		s += " of " + k.Package
	}
	for i, f := range k.Functions {
		s += map[bool]string{true: ": ", false: ", "}[i == 0] + strings.TrimPrefix(f, k.Package+".")
	}
	return s + " [" + k.Fingerprint + "]"
}

// encode is the file's text.
func (b *baseline) encode() ([]byte, error) {
	slices.SortFunc(b.Findings, func(x, y knownFindings) int { return cmp.Compare(x.Fingerprint, y.Fingerprint) })
	if b.Findings == nil {
		b.Findings = []knownFindings{}
	}
	return format.Indented(b)
}

// write replaces the file. If it fails, the old one stays as it is.
func (b *baseline) write() error {
	data, err := b.encode()
	if err != nil {
		return err
	}
	if err := writeAtomically(b.name, data); err != nil {
		return inputf("%s: %w", b.name, reason(err))
	}
	return nil
}
