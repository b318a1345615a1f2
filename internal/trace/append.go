package trace

// An append to a list, x = append(x, ...), commutes with its like if the old value of x flows into
// x only, and nobody observes it. In a trace it is several events of one goroutine, next to each
// other. The first one is a Write of x, the slice's header, with FlagUnseen and FlagAppend. Its
// parts follow, accesses with FlagAppend alone: a Read of the elements that it copies to a new
// array, and a Write of the elements that it adds to the old array.
//
// The memory that the parts access depends on the appends before. So an append is in place, in a
// schedule, if x has the same last seen store as in the trace, and since then the same unseen
// Writes in the same order. It stays in place until a seen Write stores x. Happens-before ignores
// all of this. For prediction,
//
//   - a Read of bytes of x finds the same last seen store and the same unseen Writes since then, in
//     the same order if they are appends;
//   - an append has the same last seen store of x as in the trace, in place or not, and so have its
//     parts;
//   - a part that is a Read counts as one if its append is in place, and else as nothing;
//   - a part that is a Write writes its bytes if its append is in place. Otherwise it writes to
//     some of the bytes that appends after the same seen store of x wrote in the trace, without
//     those that were done in place. So no event reads these bytes afterwards, until they have a
//     new life;
//   - a part races with another access if its append is in place.
//
// A change of a map, m[k] = v, delete(m, k) or clear(m), commutes with its like in the same way:
// nobody observes what the map was, and two changes of one key leave what the second one stores. It
// is an append without parts, a Write of the map's one byte; a slice's header has more.
//
// A recorder flags an append that adds to the old array, and one that makes a new array because the
// old one has no room at all. So in the trace, appends that follow one another fill the array
// before the first one makes a new array. Whatever their order is, the first ones fill the same
// bytes.

// Append reports whether the event is an unobserved append to a list: the Write of the header.
func (ev *Event) Append() bool {
	return ev.Kind == Write && ev.Flags&(FlagAppend|FlagUnseen) == FlagAppend|FlagUnseen
}

// MapChange reports whether the event is a change of a map. A recorder may leave one out that comes
// after another one of its span.
func (ev *Event) MapChange() bool { return ev.Append() && ev.Size == 1 }

// AppendPart reports whether the event accesses elements for the append before it in its goroutine.
// If there is none, since the trace begins between the two, it is an access like any other.
func (ev *Event) AppendPart() bool {
	return (ev.Kind == Read || ev.Kind == Write) && ev.Flags&(FlagAppend|FlagUnseen) == FlagAppend
}
