package vclock

// tree has the times of the slots from nearSlots on, in leaves of 64 slots below branches of 16 leaves. Trees share their
// parts and are never compared where they do. A part belongs to the tree with the same mark and may be changed by it;
// share takes the mark from both, so that whatever they have in common stays as it is. Parts nobody
// refers to are the garbage collector's.
type tree struct {
	root []*branch // nil: all zero
	mine *mark     // nil: nothing below belongs to this tree, nor does root
}

// mark tells trees apart; its address is all there is to it.
type mark struct{ _ byte }

type leaf struct {
	at   [leafSlots]Time
	mine *mark
	past
}

type branch struct {
	leaves [branchLeaves]*leaf
	mine   *mark
	past
}

// past says which parts a part is known to be at least as late as, by their names, so that most comparisons with what
// it came from, or was joined with before, need not look at the times.
//
// Invariant: a part with a name in a past does not change any more; the times of the part with the past do not get less.
type past struct {
	id    uint64 // of this part, unique
	from  uint64 // the part that it is a changed copy of
	above uint64 // the last one that it was compared or joined with
}

// newPast is that of a new part, a copy of the one named from; 0 is none.
func (p *Pool) newPast(from uint64) past {
	p.parts++
	return past{id: p.parts, from: from}
}

// after reports whether the part is known to be at least part id.
func (p *past) after(id uint64) bool { return id == p.id || id == p.from || id == p.above }

const (
	leafSlots    = 64
	branchLeaves = 16
	branchSlots  = leafSlots * branchLeaves

	treePath = 4*leafSlots + 8*branchLeaves + 64 // bytes, of what a single change copies
)

// place says where slot s is.
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

// share returns a tree with the same times.
func (t *tree) share() tree {
	t.mine = nil
	return tree{root: t.root}
}

// own makes the root the tree's, with room for n branches at least.
func (t *tree) own(n int) {
	if t.mine == nil {
		t.mine = new(mark)
		root := make([]*branch, max(n, len(t.root)))
		copy(root, t.root)
		t.root = root
		return
	}
	for len(t.root) < n {
		t.root = append(t.root, nil)
	}
}

// branch is the b-th branch, made the tree's own.
func (t *tree) branch(p *Pool, b int) *branch {
	t.own(b + 1)
	br := t.root[b]
	switch {
	case br == nil:
		br = &branch{mine: t.mine, past: p.newPast(0)}
	case br.mine != t.mine:
		br = &branch{leaves: br.leaves, mine: t.mine, past: p.newPast(br.id)}
	default:
		return br
	}
	t.root[b] = br
	return br
}

// leaf is the l-th leaf of br, which is the tree's own, made the tree's own.
func (t *tree) leaf(p *Pool, br *branch, l int) *leaf {
	lf := br.leaves[l]
	switch {
	case lf == nil:
		lf = &leaf{mine: t.mine, past: p.newPast(0)}
	case lf.mine != t.mine:
		lf = &leaf{at: lf.at, mine: t.mine, past: p.newPast(lf.id)}
	default:
		return lf
	}
	br.leaves[l] = lf
	return lf
}

func (t *tree) set(p *Pool, s Slot, to Time) {
	b, l, i := treePlace(s)
	t.leaf(p, t.branch(p, b), l).at[i] = to
}

// coversTree reports whether v is at least u from nearSlots on; a nil v has no times, nor has a nil u.
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

// coversFar reports whether v is at least u from nearSlots on. Both are there.
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

// within reports whether no time of u is more than that of v, which is brief. Only what is more than in its base is looked for among the changes.
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

// What is not there is all zero.
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
	if t != nil && len(t.root) == len(u.root) && (len(u.root) == 0 || &t.root[0] == &u.root[0]) {
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
		switch {
		case tb == nil:
			tb = &branch{}
		case tb.after(ub.id):
			continue
		}
		for l, ul := range ub.leaves {
			if ul != nil && !tb.leaves[l].covers(ul) {
				return false
			}
		}
		ub.freeze()
		tb.above = ub.id
	}
	return true
}

// freeze takes the branch and its leaves from the tree they belong to.
func (b *branch) freeze() {
	if b.mine == nil {
		return
	}
	b.mine = nil
	for _, l := range b.leaves {
		if l != nil {
			l.mine = nil
		}
	}
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
	u.mine = nil
	l.above = u.id
	return true
}

// joinTree makes the times of v, a full Vec with one user, at least those of u. Where u's are nowhere less, its parts become v's, too.
func (p *Pool) joinTree(v *Vec, u *tree) {
	t := p.farOf(v)
	u.mine = nil // what t takes over, or remembers, must not change
	t.own(len(u.root))
	for b, ub := range u.root {
		tb := t.root[b]
		switch {
		case ub == nil:
			continue
		case tb == nil:
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
				tb.leaves[l] = ul
				p.noteLeaf(v, b, l, tl, ul)
			default:
				same = false
				tb = t.branch(p, b)
				p.noteLeaf(v, b, l, tl, ul)
				own := t.leaf(p, tb, l)
				for i := range own.at {
					own.at[i] = max(own.at[i], ul.at[i])
				}
				own.above = ul.id
			}
		}
		if same {
			t.root[b] = ub
		} else {
			tb.above = ub.id
		}
	}
}

// noteLeaf notes the slots of a leaf, l of branch b, in which u is more than t, which is nil for no times.
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
