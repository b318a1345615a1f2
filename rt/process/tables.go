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
	files   int                  // how many site tables are written
	frames  []tracefile.Frame    // for use in newStack
	latest  [1 << 10]trace.Stack // some of the stacks that are in the file, by their last bits: the next events mostly have the same ones
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
	latest := &t.latest[int(id)%len(t.latest)]
	if *latest == id {
		return
	}
	*latest = id
	if t.HasStack(id) {
		return
	}
	t.frames = t.frames[:0]
	for f := range t.symbols.Walk(id) {
		t.frames = append(t.frames, tracefile.Frame{Func: f.Func, File: f.File, Line: f.Line})
	}
	t.Stack(id, t.frames)
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
