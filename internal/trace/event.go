// Package trace is the vocabulary every part of racepred shares: what one
// event of a run is, and what each kind of event means for the order of the run.
//
// It imports nothing but the standard library and is linked into the tested
// binary, so it stays small.
package trace

// G names a goroutine: from 1, never reused within a run; 0 means none.
type G uint32

// Addr names a variable, a lock or a synchronization object by its address in
// the recorded process. The three name spaces are separate: a lock at address
// 8 is not the variable at address 8.
type Addr uint64

// Site names a source position the rewriter knows (column and expression
// included): an index into the run's site table; 0 means unknown.
type Site uint32

// Stack names an interned call stack, innermost frame first; 0 means unknown.
type Stack uint32

// Seq is an event's position in its trace, from 0.
type Seq uint64

// Flags modify an event.
type Flags uint8

const (
	// FlagHard on an acquire means that its critical section belongs to code
	// that is not recorded, or broke the assumptions of the predictors (a
	// hand-over): the section keeps its place among all sections of its lock,
	// as if its acquire were a HardAcquire of every earlier release of the lock
	// and its release a HardMerge that every later acquire waits for.
	FlagHard Flags = 1 << iota
	// FlagAtomic on an access means it was an atomic operation: it never
	// races with another atomic access, only with plain ones.
	FlagAtomic
	// FlagUnseen means that the goroutine did not observe what the event found, as in an atomic addition whose
	// result is thrown away. Happens-before ignores it. For prediction,
	//
	//   - a HardAcquire waits for nothing, and a HardSwap only replaces what the object holds;
	//   - a Change commutes with the unseen Changes next to it: like an Observe it has the same preceding seen
	//     Change as in the trace, while an Observe and a seen Change have, besides that, the same set of unseen Changes since then;
	//   - a Write commutes with the unseen Writes of the same bytes next to it: a Read takes its bytes from the same seen store and the same
	//     set of unseen Writes since then. It keeps its order with unseen Writes of other bytes that overlap its own. Each of them counts, so a
	//     recorder never leaves one out, except for one that is not atomic and comes after another write of the bytes in its span;
	//   - a section whose acquire and release have the flag excludes the others of its lock, but the release before it need not be ordered
	//     before its acquire.
	FlagUnseen

	// FlagTried on an acquire means that its goroutine would have gone on without the lock: the acquire is that of a TryLock, or of a send in a select
	// with other cases. No goroutine waits for ever in such an acquire.
	FlagTried = FlagAtomic

	// FlagMarked on a UnitBegin means that the function is marked as atomic in the source (//racepred:atomic).
	FlagMarked = FlagAtomic

	// FlagAppend on an access means that it belongs to an unobserved x = append(x, ...), or is a change of a map, see append.go. It is the bit of FlagHard, which only acquires and releases have.
	FlagAppend = FlagHard
)

// Unseen reports whether the event has FlagUnseen.
func (ev *Event) Unseen() bool { return ev.Flags&FlagUnseen != 0 }

// Covers reports whether a is one of the addresses that the event is about, of an access or an
// Alloc.
func (ev *Event) Covers(a Addr) bool { return a-ev.Addr < Addr(ev.Size) }

// Event is one step of one goroutine. A trace is a []Event in an order
// consistent with the run.
type Event struct {
	Kind  Kind
	Flags Flags
	// Alone says that no other access of the whole trace conflicts with this one. Only a source that has seen the
	// whole trace sets it, and no format has it. False says nothing.
	Alone bool
	_     uint8
	G     G
	Addr  Addr
	Size  uint32 // bytes of accesses and Alloc; events of MissedRead and MissedWrite
	Site  Site
	Stack Stack
	Other uint32 // the other goroutine of Fork, Join, MissedRead and MissedWrite; the test of TestBegin
}
