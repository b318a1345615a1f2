package trace

// Operand says what Addr, Size and Other of an event stand for.
type Operand uint8

// The operand shapes.
const (
	NoOperand Operand = iota
	OnBytes           // the Size bytes at Addr
	OnLock            // lock Addr
	OnObject          // synchronization object Addr
	OnG               // goroutine Other
	OnTest            // test Other
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
	Resets bool // what the object held before is forgotten
	Pin    bool // keeps its preceding Change in every reordering

	Note bool // says something of the run, and orders nothing

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
