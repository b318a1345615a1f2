package wcp

import (
	"github.com/racepred/racepred/internal/predict"
	"github.com/racepred/racepred/internal/predict/shadow"
)

// lists has the lists of marks by word and lock. It is a table with extendible hashing (Fagin,
// Nievergelt, Pippenger, Strong, TODS 1979) and linear probing in a segment. It grows by one
// segment at a time, so it never leaves an old table behind.
type lists struct {
	arena predict.Arena
	dir   []place // by the upper bits of the hash; a segment has a power of two of entries in a row
	shift uint    // how far a hash is shifted to become an index of dir
	n     int
}

type place struct {
	*segment
	*filling
}

// segment has the lists whose hashes have the same upper bits.
type segment [1 << 8]markList

// filling describes a segment.
type filling struct {
	used  int
	depth uint // how many upper bits are the same in all of its hashes
}

const (
	segmentFull = 208 // with so many lists it is split
	minDepth    = 1
)

// hash is the hash of a word and lock.
func hash(w shadow.Word, lock uint32) uint64 {
	return (uint64(w) ^ uint64(lock)*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93
}

// home is the index in its segment where the search for a list begins. It depends on other bits
// than those of dir, unless that has 2^24 entries.
func home(h uint64) uint8 { return uint8(h >> 32) }

// init makes t ready to use.
func (t *lists) init() {
	t.shift = 64 - minDepth
	t.dir = make([]place, 1<<minDepth)
	for i := range t.dir {
		t.dir[i] = place{new(segment), &filling{depth: minDepth}} // on the Go heap, since the arena is not known yet
	}
}

// at is the segment of a hash.
func (t *lists) at(h uint64) *place { return &t.dir[h>>(t.shift&63)] }

// find is the list of a word and lock; nil if there is none. The pointer is valid until a list is
// made or removed.
func (t *lists) find(w shadow.Word, lock uint32) *markList {
	h := hash(w, lock)
	s := t.at(h).segment
	for i := home(h); ; i++ {
		l := &s[i]
		if l.w == w && l.lock == lock {
			return l
		}
		if l.lock == 0 {
			return nil
		}
	}
}

// free is the free place for a list that is not there.
func (s *segment) free(h uint64) *markList {
	i := home(h)
	for s[i].lock != 0 {
		i++
	}
	return &s[i]
}

// add makes an empty list for a word and lock that has none.
func (t *lists) add(w shadow.Word, lock uint32) *markList {
	h := hash(w, lock)
	for t.at(h).used >= segmentFull {
		t.split(h)
	}
	s := t.at(h)
	l := s.free(h)
	*l = markList{w: w, lock: lock}
	s.used++
	t.n++
	return l
}

// split splits the segment of a hash in two.
func (t *lists) split(h uint64) {
	old := *t.at(h)
	if old.depth == 64-t.shift {
		dir := make([]place, 2*len(t.dir))
		for i, s := range t.dir {
			dir[2*i], dir[2*i+1] = s, s
		}
		t.dir = dir
		t.shift--
	}
	old.depth++
	n := 1 << (64 - t.shift - old.depth) // entries of each in dir
	first := int(h>>t.shift) &^ (2*n - 1)
	half := place{predict.Make[segment](t.arena), &filling{depth: old.depth}}
	for i := range n {
		t.dir[first+n+i] = half
	}
	// From behind a free place on, what stays finds one where it was or before that.
	s, i := old.segment, uint8(0)
	for s[i].lock != 0 {
		i++
	}
	old.used = 0
	for range len(s) - 1 {
		i++
		if l := s[i]; l.lock != 0 {
			s[i].lock = 0
			h := hash(l.w, l.lock)
			to := t.at(h)
			*to.free(h) = l
			to.used++
		}
	}
}

// remove takes out a list, moving those behind it up (Knuth, volume 3, 6.4, Algorithm R).
func (t *lists) remove(w shadow.Word, lock uint32) {
	h := hash(w, lock)
	s := t.at(h)
	i := home(h)
	for s.segment[i].w != w || s.segment[i].lock != lock {
		i++
	}
	for j := i + 1; s.segment[j].lock != 0; j++ {
		if o := &s.segment[j]; j-home(hash(o.w, o.lock)) >= j-i {
			s.segment[i] = *o
			i = j
		}
	}
	s.segment[i] = markList{}
	s.used--
	t.n--
}
