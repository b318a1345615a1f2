package vclock

import (
	"math/bits"
	"unsafe"
)

// freeParts has unused parts of trees, each with the address of the next one in its first bytes.
type freeParts[T any] struct {
	free *T
	made int // in use or not
}

// get is a part for the caller to fill.
func (s *freeParts[T]) get(p *Pool) *T {
	bytes := int(unsafe.Sizeof(*new(T)))
	if s.free == nil {
		slab := makeSlab[T](p, &s.made, bytes)
		for i := len(slab) - 1; i >= 0; i-- {
			put(&s.free, &slab[i])
		}
	}
	part := s.free
	s.free = next(part)
	p.Live += bytes
	return part
}

// put takes a part back.
func (s *freeParts[T]) put(p *Pool, part *T) {
	put(&s.free, part)
	p.Live -= int(unsafe.Sizeof(*part))
}

// roots are unused roots, all nil, by the logarithm of how many branches have room.
type roots [maxRootBits + 1]struct {
	free **branch // as in freeParts
	made int
}

const (
	maxRootBits = 6 // for MaxSlots
	branchBytes = int(unsafe.Sizeof((*branch)(nil)))
)

// rootOf is an empty root with room for n branches.
func (p *Pool) rootOf(n int) []*branch {
	class := bits.Len(uint(n - 1))
	of, size := &p.roots[class], 1<<class
	if of.free == nil {
		slab := makeSlab[*branch](p, &of.made, size*branchBytes)
		for ; len(slab) > 0; slab = slab[size:] {
			put(&of.free, &slab[0])
		}
	}
	first := of.free
	of.free = next(first)
	*first = nil
	p.Live += size * branchBytes
	return unsafe.Slice(first, size)[:n]
}

// dropRoot takes a root back. The caller has its branches, or gave them up.
func (p *Pool) dropRoot(root []*branch) {
	if root == nil {
		return
	}
	clear(root)
	put(&p.roots[bits.Len(uint(cap(root)-1))].free, unsafe.SliceData(root))
	p.Live -= cap(root) * branchBytes
}

// reach makes room in t for n branches.
func (p *Pool) reach(t *tree, n int) {
	switch {
	case n <= len(t.root):
	case n <= cap(t.root):
		t.root = t.root[:n]
	default:
		old := t.root
		t.root = p.rootOf(n)
		copy(t.root, old)
		p.dropRoot(old)
	}
}

// farOf is the tree of a full Vec with one user, for the caller to change; it is made if there is
// none.
func (p *Pool) farOf(v *Vec) *tree {
	t := v.far
	switch {
	case t == nil:
		v.far = p.trees.get(p)
		*v.far = tree{refs: 1}
	case t.refs > 1:
		v.far = p.trees.get(p)
		*v.far = tree{refs: 1}
		p.reach(v.far, len(t.root))
		copy(v.far.root, t.root)
		for _, b := range v.far.root {
			if b != nil {
				b.refs++
			}
		}
		t.refs--
	}
	return v.far
}

// share adds a user to t and returns it.
func (t *tree) share() *tree {
	if t != nil {
		t.refs++
	}
	return t
}

// dropTree gives up one user of t, which may be nil.
func (p *Pool) dropTree(t *tree) {
	if t == nil {
		return
	}
	if t.refs--; t.refs > 0 {
		return
	}
	for _, b := range t.root {
		p.dropBranch(b)
	}
	p.dropRoot(t.root)
	t.root = nil
	p.trees.put(p, t)
}

func (p *Pool) dropBranch(b *branch) {
	if b == nil {
		return
	}
	if b.refs--; b.refs > 0 {
		return
	}
	for _, l := range b.leaves {
		p.dropLeaf(l)
	}
	p.branches.put(p, b)
}

func (p *Pool) dropLeaf(l *leaf) {
	if l == nil {
		return
	}
	if l.refs--; l.refs == 0 {
		p.leaves.put(p, l)
	}
}
