//go:build racepred_seam

package process

import (
	"io"
	"os"
	"runtime"
	"strconv"

	"github.com/racepred/racepred/internal/symbolize"
	"github.com/racepred/racepred/internal/trace"
	"github.com/racepred/racepred/internal/trace/tracefile"
)

// tables is a trace file and the names of its events' stacks and sites.
type tables struct {
	*tracefile.Writer
	symbols *symbolize.Symbols
	sites   func(i int) (symbolize.SiteFile, bool)
	files   int // how many site tables are written
}

// newTables begins a trace file of this process.
func (a *analysis) newTables(w io.Writer) *tables {
	return &tables{symbols: a.namer.Symbols, sites: symbols{goroot: a.settings.GOROOT}.siteFile, Writer: tracefile.NewWriter(w, []tracefile.Pair{
		{Key: tracefile.KeyPackage, Value: a.namer.Package},
		{Key: tracefile.KeyGo, Value: runtime.Version()},
		{Key: tracefile.KeyRoot, Value: a.printer.Root},
		{Key: tracefile.KeyDir, Value: a.wd},
		{Key: tracefile.KeyPID, Value: strconv.Itoa(os.Getpid())},
		{Key: tracefile.KeyOptions, Value: a.settings.Options.String()},
	})}
}

// newStack adds a stack that is not in the file yet.
func (t *tables) newStack(id trace.Stack) {
	if t.HasStack(id) {
		return
	}
	stack := t.symbols.Stack(id)
	out := make([]tracefile.Frame, len(stack))
	for i, f := range stack {
		out[i] = tracefile.Frame{Func: f.Func, File: f.File, Line: f.Line}
	}
	t.Stack(id, out)
}

// newSites adds the site tables that are new since the last call.
func (t *tables) newSites() {
	for {
		f, ok := t.sites(t.files)
		if !ok {
			return
		}
		t.files++
		t.Sites(tracefile.SiteTable(f))
	}
}
