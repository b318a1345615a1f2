package format

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// The elements of JUnit's XML as gotestsum writes it for Go and CI systems read it: a suite for
// each package, a case for each run of a test.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Output     *junitText      `xml:"system-out"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Time    string        `xml:"time,attr"`
		Skipped *junitMessage `xml:"skipped"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
	junitText struct {
		Text string `xml:",chardata"`
	}
)

// encodeJUnit has the tests, and the findings:
//
// (U1) a finding that was made in a test that failed is the message of that failure;
// (U2) any other finding is a case of its own in the suite of its package: a failure if it fails
// the run, or else skipped, with the reason;
// (U3) a test that did not end, and a package that failed though no test of it did, are errors.
func encodeJUnit(r *report.Report) ([]byte, error) {
	packages := slices.Clone(r.Tests)
	in := func(pkg string) *report.PackageTests {
		for i := range packages {
			if packages[i].Package == pkg {
				return &packages[i]
			}
		}
		packages = append(packages, report.PackageTests{Package: pkg})
		return &packages[len(packages)-1]
	}
	findings := shown(r.Findings)
	for i := range findings {
		in(findings[i].Package)
	}
	slices.SortFunc(packages, func(a, b report.PackageTests) int { return cmp.Compare(a.Package, b.Package) })
	all := junitSuites{Name: "racepred"}
	seconds := 0.0
	for i := range packages {
		s := junitOf(r, &packages[i], findings)
		all.Suites = append(all.Suites, s)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		seconds += packages[i].Seconds
	}
	all.Time = junitTime(seconds)
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	if err := e.Encode(&all); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// junitOf is the suite of a package.
func junitOf(r *report.Report, p *report.PackageTests, findings []report.Finding) junitSuite {
	s := junitSuite{
		Name: p.Package, Time: junitTime(p.Seconds), Timestamp: p.Started,
		Properties: []junitProperty{{"go.version", r.Tool.Go}, {"racepred.version", r.Tool.Version}},
	}
	failed := map[string]bool{}
	for i := range p.Tests {
		t := &p.Tests[i]
		c := junitCase{Class: p.Package, Name: t.Name, Time: junitTime(t.Seconds)}
		switch t.Result {
		case report.Failed:
			failed[t.Name] = true
			c.Failure = &junitMessage{Message: "failed", Text: t.Output}
			if made := madeIn(findings, p.Package, t.Name); len(made) > 0 { // (U1)
				c.Failure.Message, c.Failure.Type = strings.Join(made, "; "), "racepred"
			}
		case report.Skipped:
			c.Skipped = &junitMessage{Message: skipReason(t.Output)}
		case report.Broken: // (U3)
			c.Error = &junitMessage{Message: "it did not end", Text: t.Output}
		}
		s.Cases = append(s.Cases, c)
	}
	for i := range findings {
		if f := &findings[i]; f.Package == p.Package && !failed[f.Test] { // (U2)
			s.Cases = append(s.Cases, junitFinding(r, f))
		}
	}
	for _, c := range s.Cases {
		s.count(&c)
	}
	if p.Failed && s.Failures+s.Errors == 0 { // (U3)
		c := junitCase{Class: p.Package, Name: "(package)", Time: junitTime(0), Error: &junitMessage{Message: "the package failed", Text: p.Output}}
		s.Cases = append(s.Cases, c)
		s.count(&c)
	} else if p.Output != "" {
		s.Output = &junitText{p.Output}
	}
	return s
}

func (s *junitSuite) count(c *junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func junitFinding(r *report.Report, f *report.Finding) junitCase {
	c := junitCase{Class: f.Package, Name: headline(f) + " [" + f.Fingerprint + "]", Time: junitTime(0)}
	if first := primary(f); first >= 0 {
		c.File, c.Line = f.Accesses[first].File, f.Accesses[first].Line
	}
	m := &junitMessage{Message: message(f, primary(f), nil, func(s string) string { return s }), Type: ruleOf(f.Kind).id, Text: string(report.AppendText(nil, f, ""))}
	switch {
	case r.Fails(f):
		c.Failure = m
	case f.Waived != "":
		c.Skipped = &junitMessage{Message: "this fails nothing: " + f.Waived}
	default:
		c.Skipped = &junitMessage{Message: "this fails nothing: " + reportedOnly(f)}
	}
	return c
}

// madeIn are the headlines of the findings of a test.
func madeIn(findings []report.Finding, pkg, test string) (list []string) {
	for i := range findings {
		if f := &findings[i]; f.Package == pkg && f.Test == test {
			list = append(list, headline(f))
		}
	}
	return list
}

// skipReason is what the test said before the line that it was skipped.
func skipReason(output string) string {
	var last string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			last = line
		}
	}
	return last
}

func junitTime(seconds float64) string { return fmt.Sprintf("%.6f", seconds) }

// reportedOnly is why a finding that is not waived fails nothing.
func reportedOnly(f *report.Finding) string {
	if f.Kind == report.Leak {
		return "leaks do not without -leaks=fail"
	}
	return "it is " + string(f.Verdict)
}
