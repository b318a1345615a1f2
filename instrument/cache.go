package instrument

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/racepred/racepred/internal/cacheage"
)

// Cache keeps the outcomes of packages, by content, so that an unchanged package
// is neither loaded nor type-checked again. An entry's name is made of
//
//   - this program: its executable's content;
//   - Salt and Config.Options;
//   - the unit's path and key.
//
// A plan also depends on which packages are recorded, and how. The entry notes the answers that it
// was made with, and is used only if they are still the same. An entry with anything wrong is a
// miss. Units with a package that was not rewritten are not kept.
type Cache struct {
	Dir   string // of the entries; made when needed
	Salt  string // whatever else changes the outcome: the toolchain's version and settings, build flags
	Units []Unit // of the packages that the patterns name; packages that are not listed here are always loaded
}

// recorders says how a package is recorded, and which of its functions are not.
type recorders struct {
	Rewritten, Compiled bool
	Unrecorded          []string // functions, as Package has them
}

// leavesOut reports whether a function is among Unrecorded.
func (r recorders) leavesOut(name string) bool {
	_, found := slices.BinarySearch(r.Unrecorded, name)
	return found
}

// entry is the outcome of a unit.
type entry struct {
	Packages []Package
	Files    map[string][]byte    // templates
	Asked    map[string]recorders // the answers that the plans depend on, by package
}

const entryMagic = "racepred rewritten 2\n"

// executable is a hash of this program; "" if it cannot be read.
var executable = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
})

// file is the name of a unit's entry.
func (c *Cache) file(u Unit, opts Options) string {
	h := sha256.New()
	part(h, executable(), c.Salt, fmt.Sprint(opts), u.Path, u.Key)
	id := hex.EncodeToString(h.Sum(nil))
	return filepath.Join(c.Dir, id[:2], id+"-unit")
}

// usable reports whether entries can be named at all.
func (c *Cache) usable() bool { return c != nil && c.Dir != "" && executable() != "" }

// get reads the entries of all units that have one.
func (c *Cache) get(opts Options) map[string]*entry {
	hits := map[string]*entry{}
	if !c.usable() {
		return hits
	}
	var mu sync.Mutex
	each(len(c.Units), func(i int) {
		u := c.Units[i]
		if e, err := readEntry(c.file(u, opts)); err == nil {
			mu.Lock()
			hits[u.Path] = e
			mu.Unlock()
		}
	})
	return hits
}

// put writes a unit's entry. If that fails the unit is made again next time.
func (c *Cache) put(u Unit, opts Options, e *entry) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(e); err != nil {
		return
	}
	sum := sha256.Sum256(body.Bytes())
	name := c.file(u, opts)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".unit-*")
	if err != nil {
		return
	}
	_, err = tmp.WriteString(entryMagic + hex.EncodeToString(sum[:]) + "\n" + body.String())
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil || os.Rename(tmp.Name(), name) != nil {
		_ = os.Remove(tmp.Name())
	}
}

func readEntry(name string) (*entry, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(b, []byte(entryMagic))
	sum, body, ok2 := bytes.Cut(rest, []byte("\n"))
	if got := sha256.Sum256(body); !ok || !ok2 || hex.EncodeToString(got[:]) != string(sum) {
		return nil, fmt.Errorf("%s: damaged", name)
	}
	e := &entry{}
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(e); err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil {
		cacheage.Used(name, info)
	}
	return e, nil
}

// asked notes how the packages are recorded that one unit's plans depend on.
type asked struct {
	mu          sync.Mutex
	answers     map[string]recorders
	recordersOf func(path string) recorders
}

func (a *asked) ask(path string) recorders {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.answers[path]
	if !ok {
		r = a.recordersOf(path)
		a.answers[path] = r
	}
	return r
}

// holds reports whether the packages that an entry depends on are recorded as they were.
func (e *entry) holds(recordersOf func(path string) recorders) bool {
	for path, r := range e.Asked {
		now := recordersOf(path)
		if now.Rewritten != r.Rewritten || now.Compiled != r.Compiled || !slices.Equal(now.Unrecorded, r.Unrecorded) {
			return false
		}
	}
	return true
}

// unitOf finds the unit that a package belongs to: its own, or that of the package it tests.
func unitOf(units map[string]Unit, path string) (Unit, bool) {
	if u, ok := units[path]; ok {
		return u, true
	}
	u, ok := units[strings.TrimSuffix(path, "_test")]
	return u, ok
}

// each calls f(0) ... f(n-1), several at a time.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
