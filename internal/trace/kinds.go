package trace

// Kind says what an event did. The order of the constants is part of the
// binary format: append, never reorder.
type Kind uint8

const (
	// None is the zero Kind; it is never part of a trace.
	None Kind = iota

	// Read and Write are plain accesses of the Size bytes at Addr. Sizes above
	// 8 bytes are ranges (copies, slices, structs).
	Read
	Write

	// Acquire and Release bound a write-mode critical section of lock Addr,
	// RAcquire and RRelease a read-mode one. Sections are soft: predictors may
	// reorder them, unless the event carries FlagHard.
	Acquire
	Release
	RAcquire
	RRelease
	// TryFail is an attempt on lock Addr that failed: the goroutine saw the
	// lock held, and a reordering must keep that.
	TryFail

	// Fork starts goroutine Other; Begin and End are a goroutine's own first
	// and last event (both optional); Join waits for Other's End.
	Fork
	Begin
	End
	Join

	// The hard edges, on synchronization object Addr, as the Go runtime names them:
	// HardAcquire is ordered after every release the object holds;
	// HardRelease replaces what the object holds by this one release;
	// HardMerge adds a release to what the object holds;
	// HardSwap acquires what the object holds and then replaces it by this
	// event's own release, where the release does not include what was just acquired.
	HardAcquire
	HardRelease
	HardMerge
	HardSwap

	// Observe and Change pin the order on object Addr for prediction only (the
	// observed-race check ignores both). A correct reordering gives every
	// Observe and every Change on an object the same preceding Change as in
	// the trace, so Changes stay in order and an Observe stays between the
	// same two Changes.
	Observe
	Change

	// Opaque is a call into unrecorded code. Two critical sections of one
	// lock that both hold an Opaque conflict as if both wrote one variable of
	// that lock.
	Opaque

	// Alloc gives the Size bytes at Addr a new life: later accesses have
	// nothing to do with earlier ones.
	Alloc

	// TestBegin is the beginning of test Other (an index into the run's test table) on
	// goroutine G; it orders nothing.
	TestBegin

	// UnitBegin and UnitEnd bound the events of goroutine G in one call of a function. With FlagMarked all of them are meant to be atomic, else those of
	// two sections of one lock. UnitTurn, between the two, separates the events before it from those after it: a loop begins a turn. They order nothing.
	UnitBegin
	UnitEnd
	UnitTurn

	// MissedRead and MissedWrite are about a read or write that is not in the trace: goroutine Other made it at most Size events ago, and the latest access of goroutine G conflicts with it.
	// They order nothing.
	MissedRead
	MissedWrite

	kinds // how many there are, None included
)

// Operand says what Addr, Size and Other of an event mean.
type Operand uint8

// The operand shapes.
const (
	NoOperand Operand = iota
	OnBytes           // the Size bytes at Addr
	OnLock            // lock Addr
	OnObject          // synchronization object Addr
	OnG               // goroutine Other
	OnTest            // test Other
	OnGBefore         // goroutine Other, Size events ago
)

// Spec is everything about a Kind that more than one package has to know: one
// row per kind, in the order of the constants.
type Spec struct {
	Name    string
	Operand Operand

	Access bool // Read or Write: takes part in races
	Stores bool // changes the bytes as far as later reads are concerned
	Opens  bool // starts a critical section of a lock
	Closes bool // ends one
	Shared bool // read mode: sections of this mode may overlap each other
	Takes  bool // a hard edge comes in: ordered after what the object holds
	Gives  bool // a hard edge goes out: the object holds this event
	Resets bool // the object no longer holds earlier releases
	Pin    bool // keeps its preceding Change in every reordering

	Note bool // a fact about the run, which orders nothing

	// EndsSpan is set for the synchronization events between which the recorder drops
	// repeated accesses. Kinds that may or may not end a span in a recording do not have it.
	EndsSpan bool
}

// Specs has one row per Kind.
var Specs = [...]Spec{
	None:        {Name: "none"},
	Read:        {Name: "read", Operand: OnBytes, Access: true},
	Write:       {Name: "write", Operand: OnBytes, Access: true, Stores: true},
	Acquire:     {Name: "acquire", Operand: OnLock, Opens: true, EndsSpan: true},
	Release:     {Name: "release", Operand: OnLock, Closes: true, EndsSpan: true},
	RAcquire:    {Name: "racquire", Operand: OnLock, Opens: true, Shared: true, EndsSpan: true},
	RRelease:    {Name: "rrelease", Operand: OnLock, Closes: true, Shared: true, EndsSpan: true},
	TryFail:     {Name: "tryfail", Operand: OnLock},
	Fork:        {Name: "fork", Operand: OnG, EndsSpan: true},
	Begin:       {Name: "begin", EndsSpan: true},
	End:         {Name: "end", EndsSpan: true},
	Join:        {Name: "join", Operand: OnG, EndsSpan: true},
	HardAcquire: {Name: "hardacquire", Operand: OnObject, Takes: true, EndsSpan: true},
	HardRelease: {Name: "hardrelease", Operand: OnObject, Gives: true, Resets: true, EndsSpan: true},
	HardMerge:   {Name: "hardmerge", Operand: OnObject, Gives: true, EndsSpan: true},
	HardSwap:    {Name: "hardswap", Operand: OnObject, Takes: true, Gives: true, Resets: true, EndsSpan: true},
	Observe:     {Name: "observe", Operand: OnObject, Pin: true},
	Change:      {Name: "change", Operand: OnObject, Pin: true},
	Opaque:      {Name: "opaque"},
	Alloc:       {Name: "alloc", Operand: OnBytes, Stores: true},
	TestBegin:   {Name: "testbegin", Operand: OnTest, Note: true},
	UnitBegin:   {Name: "unitbegin", Note: true},
	UnitEnd:     {Name: "unitend", Note: true},
	UnitTurn:    {Name: "unitturn", Note: true},
	MissedRead:  {Name: "missedread", Operand: OnGBefore, Note: true},
	MissedWrite: {Name: "missedwrite", Operand: OnGBefore, Note: true},
}

// Spec returns the kind's row; an unknown kind has the row of None.
func (k Kind) Spec() *Spec {
	if int(k) < len(Specs) {
		return &Specs[k]
	}
	return &Specs[None]
}

// String is the kind's name in the text form.
func (k Kind) String() string { return k.Spec().Name }

// KindOf is the kind with that name; None when there is none.
func KindOf(name string) Kind {
	for k := range Specs {
		if Specs[k].Name == name {
			return Kind(k)
		}
	}
	return None
}

// Wraps reports whether the bytes of an access go beyond the greatest address, which no run can
// have.
func (ev *Event) Wraps() bool { return ev.Addr+Addr(ev.Size) < ev.Addr }

// Overlap reports whether the bytes of two accesses have one in common.
func Overlap(a, b *Event) bool {
	return a.Addr < b.Addr+Addr(b.Size) && b.Addr < a.Addr+Addr(a.Size)
}

// Conflict reports whether a and b would race if nothing ordered them:
// accesses of two goroutines with a byte in common, at least one a write, not both atomic.
func Conflict(a, b *Event) bool {
	return a.G != b.G && a.Kind.Spec().Access && b.Kind.Spec().Access &&
		(a.Kind == Write || b.Kind == Write) &&
		a.Flags&b.Flags&FlagAtomic == 0 && Overlap(a, b)
}
