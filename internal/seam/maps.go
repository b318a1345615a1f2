package seam

import (
	"bytes"
	"fmt"
)

// A sync.Map is a trie, whose nodes the operations on different keys share: it orders goroutines
// that have no key in common. Its contract is less: a write of a key comes before the reads that
// find it, or find that it is deleted (E6). So of an operation nothing is recorded but what it does
// to three numbers: of its key, of all keys, and of how often the map was cleared. Before and after
// it, a write adds to those of its key and of all keys, and loads the third; a read loads those of
// its key and of clearing. So a read that finds a write comes after its first addition, and one
// that does not comes before its second one. Range reads the key that it calls the function with,
// and all keys before and after; Clear adds to the last two. No lock is held, and the operation
// itself is the library's. An operation that writes only if it finds something, or nothing, reads
// first: if it does not write, it is a read. Nobody observes the sum of all keys while it grows, so
// writes of two keys may trade places.
//
// Keys whose hashes end alike share a number, and so may maps. The hash of a key that is not equal
// to itself, one with a NaN, differs each time: all of these are one.

// mapHash is added to package internal/sync.
const mapHash = `package sync

import (
	"internal/abi"
	"internal/race"
	"unsafe"
)

// RacepredHash is the hash of a key, and the map's seed, by which those of other maps differ. It panics as the map's methods do.
func (ht *HashTrieMap[K, V]) RacepredHash(key K) (hash, seed uintptr) {
	race.Disable()
	ht.init()
	race.Enable()
	return ht.keyHash(abi.NoEscape(unsafe.Pointer(&key)), ht.seed), ht.seed
}
`

// mapMethods is added to the file that has the methods of Map.
const mapMethods = `
type racepredMap struct {
	keys         [64]atomic.Uint64
	all, cleared atomic.Uint64
}

var racepredMaps [1 << 7]racepredMap

func racepredOf(seed uintptr) *racepredMap { return &racepredMaps[seed%uintptr(len(racepredMaps))] }

// racepredKey is the numbers of m, and which of them is that of the key.
func (m *Map) racepredKey(key any) (*racepredMap, *atomic.Uint64) {
	hash, seed := m.m.RacepredHash(key)
	if key != key {
		hash = 0
	}
	n := racepredOf(seed)
	return n, &n.keys[hash%uintptr(len(n.keys))]
}

func (m *Map) racepredAll() *racepredMap {
	_, seed := m.m.RacepredHash(nil)
	return racepredOf(seed)
}

func (n *racepredMap) writes(k *atomic.Uint64) {
	n.cleared.Load()
	n.all.RacepredAdd(1)
	k.Add(1)
	race.Disable()
}

func (n *racepredMap) written(k *atomic.Uint64) {
	race.Enable()
	k.Add(1)
	n.all.RacepredAdd(1)
	n.cleared.Load()
}

func (m *Map) racepredLoad(key any) (value any, ok bool) {
	n, k := m.racepredKey(key)
	return m.racepredLook(n, k, key)
}

func (m *Map) racepredLook(n *racepredMap, k *atomic.Uint64, key any) (value any, ok bool) {
	k.Load()
	n.cleared.Load()
	race.Disable()
	value, ok = m.m.Load(key)
	race.Enable()
	n.cleared.Load()
	k.Load()
	return value, ok
}

func (m *Map) racepredStore(key, value any) { m.racepredSwap(key, value) }

func (m *Map) racepredSwap(key, value any) (previous any, loaded bool) {
	n, k := m.racepredKey(key)
	n.writes(k)
	previous, loaded = m.m.Swap(key, value)
	n.written(k)
	return previous, loaded
}

func (m *Map) racepredLoadOrStore(key, value any) (actual any, loaded bool) {
	n, k := m.racepredKey(key)
	actual, loaded = m.racepredLook(n, k, key)
	if loaded {
		return actual, true
	}
	n.writes(k)
	actual, loaded = m.m.LoadOrStore(key, value)
	n.written(k)
	return actual, loaded
}

func (m *Map) racepredDelete(key any) { m.racepredLoadAndDelete(key) }

func (m *Map) racepredLoadAndDelete(key any) (value any, loaded bool) {
	n, k := m.racepredKey(key)
	_, loaded = m.racepredLook(n, k, key)
	if !loaded {
		return nil, false
	}
	n.writes(k)
	value, loaded = m.m.LoadAndDelete(key)
	n.written(k)
	return value, loaded
}

func (m *Map) racepredCompareAndSwap(key, old, new any) (swapped bool) {
	n, k := m.racepredKey(key)
	value, ok := m.racepredLook(n, k, key)
	if !ok || value != old {
		return false
	}
	n.writes(k)
	swapped = m.m.CompareAndSwap(key, old, new)
	n.written(k)
	return swapped
}

func (m *Map) racepredCompareAndDelete(key, old any) (deleted bool) {
	n, k := m.racepredKey(key)
	value, ok := m.racepredLook(n, k, key)
	if !ok || value != old {
		return false
	}
	n.writes(k)
	deleted = m.m.CompareAndDelete(key, old)
	n.written(k)
	return deleted
}

func (m *Map) racepredRange(f func(key, value any) bool) {
	n := m.racepredAll()
	n.all.Load()
	n.cleared.Load()
	race.Disable()
	m.m.Range(func(key, value any) bool {
		race.Enable()
		_, k := m.racepredKey(key)
		k.Load()
		more := f(key, value)
		race.Disable()
		return more
	})
	race.Enable()
	n.cleared.Load()
	n.all.Load()
}

func (m *Map) racepredClear() {
	n := m.racepredAll()
	n.cleared.RacepredAdd(1)
	n.all.RacepredAdd(1)
	race.Disable()
	m.m.Clear()
	race.Enable()
	n.all.RacepredAdd(1)
	n.cleared.RacepredAdd(1)
}
`

// mapFiles edits the file of package sync that has the methods of Map over the trie.
func mapFiles(out map[string][]byte, read func(string) ([]byte, error)) error {
	path := "sync/map.go"
	b, err := read(path)
	if err == nil && !bytes.Contains(b, []byte(trie)) { // up to Go 1.25
		path = "sync/hashtriemap.go"
		b, err = read(path)
	}
	if err != nil {
		return fmt.Errorf("sync.Map: %w", err)
	}
	f := file{Path: path, Imports: []string{"internal/race", "sync/atomic"}}
	for _, method := range []string{"Load", "Store", "Clear", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete", "Range"} {
		f.Edits = append(f.Edits, edit{"(*Map)." + method, "m.m." + method + "(", "m.racepred" + method + "("})
	}
	if out[path], err = apply(f, b); err != nil {
		return err
	}
	if n := bytes.Count(out[path], []byte("m.m.")); n > 0 {
		return fmt.Errorf("%s: %d methods of Map that this version of racepred does not know", path, n)
	}
	out[path] = append(out[path], mapMethods...)
	out["internal/sync/zz_racepred_map.go"] = []byte(mapHash)
	return nil
}

// trie is in the declaration of Map.
const trie = "HashTrieMap[any, any]"
