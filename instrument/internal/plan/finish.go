package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/racepred/racepred/instrument/internal/edit"
	"github.com/racepred/racepred/instrument/internal/site"
)

// Finish carries out the plan of a file and completes it: the import comes right after the package
// clause, the sites come at the end, and the slots at their offsets. name and pkgPath are the names
// by which package runtime knows the file. The edits in more come first.
func Finish(src *Source, p *Plan, pkgPath, name string, more []Edit) []byte {
	tok := src.Fset.File(src.File.FileStart)
	alias := src.Prefix + "runtime"
	edits := append([]Edit{{
		Off: tok.Offset(src.File.Name.End()), Text: importClause(alias, p, src.Prefix),
	}}, p.Edits...)
	edits = append(more, edits...)
	var b strings.Builder
	b.WriteString(edit.Apply(src.Bytes, 0, edit.WithSlots(edits, src.Slots)))
	if len(src.Bytes) > 0 && src.Bytes[len(src.Bytes)-1] != '\n' {
		b.WriteByte('\n')
	}
	base := "nil"
	if len(p.Sites) > 0 {
		fmt.Fprintf(&b, "\nvar %s [%d]byte\n", src.SitesVar, len(p.Sites))
		base = "&" + src.SitesVar + "[0]"
	}
	b.WriteString("\nfunc init() {\n")
	if src.Whole != nil && len(src.Whole.unrecorded) > 0 { // (O13)
		fmt.Fprintf(&b, "\t%s.RacepredPartly(%s)\n", alias, strconv.Quote(pkgPath))
	}
	fmt.Fprintf(&b, "\t%s.RacepredSites(%s, %s, %s, %d, %s)\n",
		alias, strconv.Quote(name), strconv.Quote(pkgPath), base, len(p.Sites), strconv.Quote(site.Table(p.Sites)))
	for _, t := range p.wrappers { // (R5)
		for _, call := range t.calls {
			fmt.Fprintf(&b, "\t%s.RacepredWrapper(%s)\n", alias, call)
		}
		fmt.Fprintf(&b, "\t%s.RacepredWrapped(%s)\n", alias, t.pointer)
	}
	b.WriteString("}\n")
	for _, f := range p.forwards {
		b.WriteString("\n" + f)
	}
	return []byte(b.String())
}

// importClause imports package runtime, and the packages that declarations for wrappers need.
func importClause(alias string, p *Plan, prefix string) string {
	text := "; import " + alias + ` "runtime"`
	for i, path := range p.imports {
		text += "; import " + prefix + "p" + strconv.Itoa(i) + " " + strconv.Quote(path)
	}
	return text
}
