package tracefile

import "github.com/racepred/racepred/internal/trace"

// Tables name what events refer to.
type Tables struct {
	Meta   []Pair
	Stacks map[trace.Stack][]Frame // innermost first
	Sites  []SiteTable
	Tests  map[uint32]string
}

// Pair is something known about the run: the tested package, the Go version.
type Pair struct{ Key, Value string }

// Keys of the pairs that recordings have.
const (
	KeyPackage = "package" // import path of the tested package
	KeyGo      = "go"      // version of the toolchain
	KeyRoot    = "root"    // the module's root directory
	KeyDir     = "dir"     // working directory of the process
	KeyPID     = "pid"
	KeyOptions = "options" // of the engine, as in protocol.EnvOpts
)

// Value is the value of a key, "" without one.
func (t *Tables) Value(key string) string {
	for _, p := range t.Meta {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Frame is one call of a stack.
type Frame struct {
	Func, File string
	Line       int
}

// SiteTable has the sites of one rewritten file: line i of Table, as package rt describes it, is
// site Base+i.
type SiteTable struct {
	File, Pkg string
	Base      trace.Site
	N         int
	Table     string
}

// Summary is the totals of a recording that ended in order.
type Summary struct {
	Events   uint64 // all of the file
	Filtered uint64 // accesses the recorder dropped, because they repeat what is recorded
	Notes    []string
}
