package programs

// Lists are appended to under a lock of their own: appends may trade places until a goroutine reads
// the list. The first list has room for all elements, and another slice has its array, too; the
// second list grows.

// pushed is how many elements a list has at most. Programs that append more are left out.
const pushed = 4

// list is one list's elements.
type list struct {
	len int8
	at  [pushed]int8
}

// listDeclarations are those of the lists and of the slice.
const listDeclarations = `	list0, list1 := make([]int, 0, 4), []int(nil)
	room0, room1 := list0[:4], [1]int{}
	_, _ = room0, room1
	_, _ = list0, list1
`

// onList is a section that appends to a list, or reads it.
func (g *generator) onList(s statement, branch func(kind) statement) statement {
	if g.IntN(2) > 0 {
		s.kind = push
	} else {
		s = branch([]kind{ifSize, ifFirst, ifRoom}[g.IntN(3)])
	}
	if s.kind == ifRoom {
		s.obj = 0
	}
	return statement{kind: block, body: []statement{{kind: lock, obj: s.obj}, s, {kind: unlock, obj: s.obj}}}
}

// push appends v, if there is room.
func (l *list) push(v int8) outcome {
	if l.len == pushed {
		return fatal
	}
	l.at[l.len] = v
	l.len++
	return goesOn
}
