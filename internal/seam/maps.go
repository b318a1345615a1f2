package seam

import (
	"bytes"
	"fmt"
	"strings"
)

// A sync.Map is a trie, whose nodes the operations on different keys share: it orders goroutines that have no key in common. Its contract is less: a write of a
// key comes before the reads that find it, or find that it is deleted (E6). So of an operation nothing is recorded but what it does to a number that stands for
// the key: a write adds to it before and after, a read loads it before and after. So a read that finds a write comes after its first addition, and one that
// does not comes before its second one; the order of the operations on a key is that of an atomic variable. No lock is held, and the operation itself
// is the library's. An operation that writes only if it finds something, or nothing, reads first: if it does not write, it is a read.
//
// Keys whose hashes end alike share a number, and so may maps. Range reads all keys of its map, and Clear writes them.

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

// mapMethods is added to package sync.
const mapMethods = `package sync

import (
	"internal/race"
	"sync/atomic"
)

const racepredOfMap = 64

var racepredKeys [1 << 7][racepredOfMap]atomic.Uint64

// racepredAll are the numbers of all keys of m.
func (m *Map) racepredAll() *[racepredOfMap]atomic.Uint64 {
	_, seed := m.m.RacepredHash(nil)
	return &racepredKeys[seed%uintptr(len(racepredKeys))]
}

func (m *Map) racepredKey(key any) *atomic.Uint64 {
	hash, seed := m.m.RacepredHash(key)
	return &racepredKeys[seed%uintptr(len(racepredKeys))][hash%racepredOfMap]
}

func (m *Map) racepredLoad(key any) (value any, ok bool) {
	value, ok, _ = m.racepredLook(key)
	return value, ok
}

func (m *Map) racepredLook(key any) (value any, ok bool, k *atomic.Uint64) {
	k = m.racepredKey(key)
	k.Load()
	race.Disable()
	value, ok = m.m.Load(key)
	race.Enable()
	k.Load()
	return value, ok, k
}

func (m *Map) racepredStore(key, value any) { m.racepredSwap(key, value) }

func (m *Map) racepredSwap(key, value any) (previous any, loaded bool) {
	k := m.racepredKey(key)
	k.Add(1)
	race.Disable()
	previous, loaded = m.m.Swap(key, value)
	race.Enable()
	k.Add(1)
	return previous, loaded
}

func (m *Map) racepredLoadOrStore(key, value any) (actual any, loaded bool) {
	actual, loaded, k := m.racepredLook(key)
	if loaded {
		return actual, true
	}
	k.Add(1)
	race.Disable()
	actual, loaded = m.m.LoadOrStore(key, value)
	race.Enable()
	k.Add(1)
	return actual, loaded
}

func (m *Map) racepredDelete(key any) { m.racepredLoadAndDelete(key) }

func (m *Map) racepredLoadAndDelete(key any) (value any, loaded bool) {
	_, loaded, k := m.racepredLook(key)
	if !loaded {
		return nil, false
	}
	k.Add(1)
	race.Disable()
	value, loaded = m.m.LoadAndDelete(key)
	race.Enable()
	k.Add(1)
	return value, loaded
}

func (m *Map) racepredCompareAndSwap(key, old, new any) (swapped bool) {
	value, ok, k := m.racepredLook(key)
	if !ok || value != old {
		return false
	}
	k.Add(1)
	race.Disable()
	swapped = m.m.CompareAndSwap(key, old, new)
	race.Enable()
	k.Add(1)
	return swapped
}

func (m *Map) racepredCompareAndDelete(key, old any) (deleted bool) {
	value, ok, k := m.racepredLook(key)
	if !ok || value != old {
		return false
	}
	k.Add(1)
	race.Disable()
	deleted = m.m.CompareAndDelete(key, old)
	race.Enable()
	k.Add(1)
	return deleted
}

func (m *Map) racepredRange(f func(key, value any) bool) {
	all := m.racepredAll()
	for i := range all {
		all[i].Load()
	}
	race.Disable()
	m.m.Range(func(key, value any) bool {
		race.Enable()
		m.racepredKey(key).Load()
		more := f(key, value)
		race.Disable()
		return more
	})
	race.Enable()
	for i := range all {
		all[i].Load()
	}
}

func (m *Map) racepredClear() {
	all := m.racepredAll()
	for i := range all {
		all[i].Add(1)
	}
	race.Disable()
	m.m.Clear()
	race.Enable()
	for i := range all {
		all[i].Add(1)
	}
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
	f := file{Path: path}
	for _, method := range []string{"Load", "Store", "Clear", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete", "Range"} {
		f.Edits = append(f.Edits, edit{"(*Map)." + method, "m.m." + method + "(", "m.racepred" + method + "("})
	}
	if out[path], err = apply(f, b); err != nil {
		return err
	}
	if n := bytes.Count(out[path], []byte("m.m.")); n > 0 {
		return fmt.Errorf("%s: %d methods of Map that this version of racepred does not know", path, n)
	}
	constraint := ""
	if first, _, ok := strings.Cut(string(b[max(bytes.Index(b, []byte("//go:build")), 0):]), "\n"); ok && strings.HasPrefix(first, "//go:build") {
		constraint = first + "\n\n"
	}
	out["sync/zz_racepred_map.go"] = []byte(constraint + mapMethods)
	out["internal/sync/zz_racepred_map.go"] = []byte(mapHash)
	return nil
}

// trie is in the declaration of Map.
const trie = "HashTrieMap[any, any]"
