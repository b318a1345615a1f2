package format

import (
	"fmt"
	"strings"

	"github.com/racepred/racepred/internal/report"
)

// How much of a page is findings. GitHub does not show a page that is larger than a mebibyte.
const (
	maxRows = 1000
	maxPage = 800 << 10
)

// encodeMarkdown is a page for the summary of a CI job: a table of the findings, and each as the
// tests print it, folded.
func encodeMarkdown(r *report.Report) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## racepred: %s\n", Summary(r.Findings))
	findings := shown(r.Findings)
	if len(findings) > 0 {
		b.WriteString("\n| | finding | where |\n| --- | --- | --- |\n")
	}
	for i := range findings[:min(len(findings), maxRows)] {
		f := &findings[i]
		var where []string
		for j := range f.Accesses {
			a := &f.Accesses[j]
			where = append(where, fmt.Sprintf("%s %s", markdown(a.Op), markdown(fmt.Sprintf("%s:%d", a.File, a.Line))))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", markdown(f.ID), markdown(headline(f)), strings.Join(where, "<br>"))
	}
	for i := range findings {
		f := &findings[i]
		block := string(report.AppendText(nil, f, ""))
		fence := strings.Repeat("`", max(3, backquotes(block)+1))
		if i >= maxRows || b.Len()+len(block) > maxPage {
			fmt.Fprintf(&b, "\nThe page is full: %d more are in the reports of other formats.\n", len(findings)-i)
			break
		}
		fmt.Fprintf(&b, "\n<details><summary>%s: %s</summary>\n\n%stext\n%s%s\n\n</details>\n", markdown(f.ID), markdown(headline(f)), fence, block, fence)
	}
	if len(r.Uncovered) > 0 {
		b.WriteString("\nNot covered:\n\n")
	}
	for _, u := range r.Uncovered {
		fmt.Fprintf(&b, "- %s\n", markdown(u.String()))
	}
	return []byte(b.String()), nil
}

// markdown escapes s, so that nothing in it is a link, code, HTML or the end of a table's cell.
func markdown(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch c {
		case '\\', '`', '*', '_', '[', ']', '|', '#', '~':
			b.WriteByte('\\')
			b.WriteRune(c)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '\n', '\r':
			b.WriteByte(' ')
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// backquotes is the length of the longest run of them in s.
func backquotes(s string) (most int) {
	n := 0
	for i := range len(s) {
		if n++; s[i] != '`' {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
