package trace

// An append to a list, x = append(x, ...), whose old value flows into nothing but x itself commutes with its like as long as nobody looks. It is one event, a Write of x,
// the slice's header, that has FlagUnseen and FlagAppend; and after it, next to it in its goroutine, come its parts, accesses with FlagAppend alone: a Read
// of the elements that it copies to a new array, and a Write of those that it adds to the array there is. What each has in the trace depends
// on the appends before it, so an append is in place, in a schedule, if x has the same last seen store as in the trace, and since then the same unseen Writes in the
// same order; and it stays so until x is stored by a seen Write. Happens-before takes no notice of this. For prediction,
//
//   - a Read of bytes of x finds the same last seen store and the same unseen Writes since then, in the same order if they are appends;
//   - an append has the same last seen store of x as in the trace, in place or not, and so have its parts;
//   - a part that is a Read is one if its append is in place, and else nothing that anybody minds;
//   - a part that is a Write writes its bytes if its append is in place. One that is not writes to other bytes: some that the appends have
//     in the trace that came after the same seen store of x, apart from those that were done in place. So nobody reads these bytes afterwards,
//     until they have a new life;
//   - a part races with another access if its append is in place.
//
// A recorder flags an append that adds to the array there is, or makes a new one because the old one has no room at all. In the trace, the elements of those that
// came after one another fill the array, then, before the first one that makes a new array; so whatever their order is, the first ones fill the same bytes.

// Append reports whether the event is an append to a list that nobody looked at: the Write of the header.
func (ev *Event) Append() bool {
	return ev.Kind == Write && ev.Flags&(FlagAppend|FlagUnseen) == FlagAppend|FlagUnseen
}

// AppendPart reports whether the event is an access of the elements of the append that comes before it in its goroutine. Without one there, where
// a part of a trace begins, it is like any other access.
func (ev *Event) AppendPart() bool {
	return (ev.Kind == Read || ev.Kind == Write) && ev.Flags&(FlagAppend|FlagUnseen) == FlagAppend
}
