package vclock

// tree has the times of the slots from nearSlots on, in leaves of 64 slots below branches of 16
// leaves. Vectors share trees, trees share branches, and branches share leaves; each counts its
// users. A part may be changed if it, and all above it, have one user; otherwise it is copied
// first. Parts without users go back to the pool.
type tree struct {
	root []*branch // nil: all zero
	refs int32
}

type leaf struct {
	lineage
	at [leafSlots]Time
}

type branch struct {
	lineage
	leaves [branchLeaves]*leaf
}

// lineage has the names of parts that a part is known to be at least as late as. So most
// comparisons with a part that it was copied from, or was joined with before, need not look at the
// times.
//
// Invariants: a part with a name in another part's lineage gets another name when it changes; the
// times of a part do not get less.
//
// A lineage is the beginning of a part, and half a line of the processor's cache: most comparisons
// read nothing else.
type lineage struct {
	refs  int32  // of the part
	named bool   // the name is in another part's lineage
	id    uint64 // of this part, unique
	from  uint64 // the part that it is a changed copy of, or its own former name
	above uint64 // the last one that it was compared or joined with
}

// newLineage is the lineage of a new part with one user, a copy of the part named from; 0 is none.
func (p *Pool) newLineage(from uint64) lineage {
	p.parts++
	return lineage{refs: 1, id: p.parts, from: from}
}

// changes must be called before the part changes.
func (p *Pool) changes(of *lineage) {
	if of.named {
		p.parts++
		of.named, of.from, of.id = false, of.id, p.parts
	}
}

// after reports whether the part is known to be at least part id.
func (p *lineage) after(id uint64) bool { return id == p.id || id == p.from || id == p.above }

// isAfter notes that the part is at least another one.
func (p *lineage) isAfter(other *lineage) {
	p.above = other.id
	other.named = true
}

const (
	leafSlots    = 64
	branchLeaves = 16
	branchSlots  = leafSlots * branchLeaves

	treePath = 4*leafSlots + 8*branchLeaves + 64 // bytes that a single change copies
)

// treePlace says where slot s is.
func treePlace(s Slot) (b, l, i int) {
	n := int(s) - nearSlots
	return n / branchSlots, n / leafSlots % branchLeaves, n % leafSlots
}

// treeSlot is the slot at that place.
func treeSlot(b, l, i int) Slot { return Slot(nearSlots + b*branchSlots + l*leafSlots + i) }

func (t *tree) at(s Slot) Time {
	b, l, i := treePlace(s)
	if b >= len(t.root) || t.root[b] == nil {
		return 0
	}
	if lf := t.root[b].leaves[l]; lf != nil {
		return lf.at[i]
	}
	return 0
}

// branch is the b-th branch of t for the caller to change. t may be changed.
func (t *tree) branch(p *Pool, b int) *branch {
	p.reach(t, b+1)
	br := t.root[b]
	switch {
	case br == nil:
		br = p.branches.get(p)
		*br = branch{lineage: p.newLineage(0)}
	case br.refs > 1:
		old := br
		br = p.branches.get(p)
		br.lineage = p.newLineage(old.id)
		br.leaves = old.leaves
		for _, l := range br.leaves {
			if l != nil {
				l.refs++
			}
		}
		old.named = true
		old.refs--
	default:
		p.changes(&br.lineage)
		return br
	}
	t.root[b] = br
	return br
}

// leaf is the l-th leaf of br for the caller to change. br may be changed.
func (p *Pool) leaf(br *branch, l int) *leaf {
	lf := br.leaves[l]
	switch {
	case lf == nil:
		lf = p.leaves.get(p)
		*lf = leaf{lineage: p.newLineage(0)}
	case lf.refs > 1:
		old := lf
		lf = p.leaves.get(p)
		lf.lineage = p.newLineage(old.id)
		lf.at = old.at
		old.named = true
		old.refs--
	default:
		p.changes(&lf.lineage)
		return lf
	}
	br.leaves[l] = lf
	return lf
}

func (t *tree) set(p *Pool, s Slot, to Time) {
	b, l, i := treePlace(s)
	p.leaf(t.branch(p, b), l).at[i] = to
}

// coversTree reports whether v is at least u from nearSlots on; a nil v has no times, nor has a nil
// u.
func (v *Vec) coversTree(u *tree) bool {
	if u == nil {
		return true
	}
	var mine *tree
	if v != nil {
		mine = v.tree()
	}
	if mine.covers(u) {
		return true
	}
	return v != nil && v.brief && u.within(v)
}

// coversFar reports whether v is at least u from nearSlots on. Neither is nil.
func (v *Vec) coversFar(u *Vec) bool {
	if !v.coversTree(u.tree()) {
		return false
	}
	if u.brief {
		for i := range u.changes {
			if s, t := u.change(i); s >= nearSlots && t > v.At(s) {
				return false
			}
		}
	}
	return true
}

// within reports whether no time of u is more than that of v, which is brief. It looks at v's
// changes only for times that are more than in v's base.
func (u *tree) within(v *Vec) bool {
	base := v.tree()
	for b, ub := range u.root {
		if ub == nil {
			continue
		}
		tb := base.branchAt(b)
		if tb.after(ub.id) {
			continue
		}
		for l, ul := range ub.leaves {
			if ul == nil {
				continue
			}
			tl := tb.leaves[l]
			if tl == nil {
				tl = &noLeaf
			}
			if tl.after(ul.id) {
				continue
			}
			for i, t := range ul.at {
				if t > tl.at[i] && t > v.briefAt(treeSlot(b, l, i)) {
					return false
				}
			}
		}
	}
	return true
}

// Missing parts are all zero.
var (
	noLeaf   leaf
	noBranch branch
)

// branchAt is branch b of t, nil for none.
func (t *tree) branchAt(b int) *branch {
	if t == nil || b >= len(t.root) || t.root[b] == nil {
		return &noBranch
	}
	return t.root[b]
}

// covers reports whether the times of t, nil for none, are at least those of u.
func (t *tree) covers(u *tree) bool {
	if t == u {
		return true
	}
	for b, ub := range u.root {
		if ub == nil {
			continue
		}
		var tb *branch
		if t != nil && b < len(t.root) {
			tb = t.root[b]
		}
		if tb == ub || tb != nil && tb.after(ub.id) {
			continue
		}
		for l, ul := range ub.leaves {
			if ul == nil {
				continue
			}
			var tl *leaf
			if tb != nil {
				tl = tb.leaves[l]
			}
			if tl != ul && !tl.covers(ul) {
				return false
			}
		}
		if tb != nil {
			tb.isAfter(&ub.lineage)
		}
	}
	return true
}

// covers reports whether the times of l, nil for none, are at least those of u.
func (l *leaf) covers(u *leaf) bool {
	if l == nil {
		return u.at == [leafSlots]Time{}
	}
	if l.after(u.id) {
		return true
	}
	for i := range l.at {
		if l.at[i] < u.at[i] {
			return false
		}
	}
	l.isAfter(&u.lineage)
	return true
}

// joinTree makes the times of v, a full Vec with one user, at least those of u. Where no time of u
// is less, v shares the part of u.
func (p *Pool) joinTree(v *Vec, u *tree) {
	t := p.farOf(v)
	p.reach(t, len(u.root))
	for b, ub := range u.root {
		tb := t.root[b]
		switch {
		case ub == nil:
			continue
		case tb == nil:
			ub.refs++
			t.root[b] = ub
			if v.base != nil {
				p.unbase(v)
			}
			continue
		case tb.after(ub.id):
			continue
		}
		same := true // as ub, so far
		for l, ul := range ub.leaves {
			tl := tb.leaves[l]
			if tl == ul {
				continue
			}
			switch {
			case ul == nil || tl != nil && tl.covers(ul):
				same = false
			case tl == nil || ul.covers(tl):
				tb = t.branch(p, b)
				p.noteLeaf(v, b, l, tl, ul)
				ul.refs++
				p.dropLeaf(tl)
				tb.leaves[l] = ul
			default:
				same = false
				tb = t.branch(p, b)
				p.noteLeaf(v, b, l, tl, ul)
				own := p.leaf(tb, l)
				for i := range own.at {
					own.at[i] = max(own.at[i], ul.at[i])
				}
				own.isAfter(&ul.lineage)
			}
		}
		if same {
			ub.refs++
			t.root[b] = ub
			p.dropBranch(tb)
		} else {
			tb.isAfter(&ub.lineage)
		}
	}
}

// noteLeaf notes the slots of a leaf, l of branch b, in which u is more than t, which is nil for no
// times.
func (p *Pool) noteLeaf(v *Vec, b, l int, t, u *leaf) {
	if v.base == nil {
		return
	}
	if t == nil {
		t = &leaf{}
	}
	for i := range u.at {
		if u.at[i] > t.at[i] {
			p.note(v, treeSlot(b, l, i))
		}
	}
}
