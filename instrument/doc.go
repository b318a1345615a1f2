// Package instrument turns Go source into the same source with recording
// calls: what other goroutines could also read or write is reported to package
// runtime (see package rt) before or right after it happens.
//
// Decide looks at one type-checked file and returns a Plan: edits with the rule
// that asked for them, sites, and what is not covered and why. It is a pure function.
// Rewrite loads packages, decides, and splices the edits into the original
// bytes. Nothing is reformatted: every statement keeps its line, comments and
// //go: directives stay where they are, and a second run gives the same bytes.
//
// Rewritten code evaluates every expression once and in the order in which the
// compiler evaluates the original: calls, receives and the operators && and || from left
// to right, plain loads after the calls of the same operand list, stores last.
//
// # What is shared (S)
//
//   - (S1) Package variables, and everything behind a pointer or in a slice.
//   - (S2) A local variable whose address is taken: by &v, by a method with a
//     pointer receiver, or by slicing an array.
//   - (S3) A local variable used in a function literal and assigned anywhere but in its
//     declaration. A literal that runs at once and on the same goroutine, func(){...}() or
//     defer func(){...}(), does not count. The body of a range over a function is such a literal, which may be run
//     by another goroutine. Config.All drops the condition on assignments.
//
// # What stays local (L)
//
// Of these, what provably stays with one goroutine is left out, unless Config.All is set (see Escapes).
// As nobody else ever gets to it, no finding depends on it.
//
//   - (L1) An object that &T{}, new, make, append or []byte(s) made, as long as only local variables
//     refer to it. It leaks when it is stored anywhere else, sent, returned, converted to an interface or
//     to an unsafe.Pointer, handed to go, or passed to a function that is not known. What it
//     points to is another object.
//   - (L2) A local variable whose address stays in such variables.
//   - (L3) A parameter of a function of the package does not leak unless the function makes it so. Some functions
//     of the library are known to keep nothing (package internal/library).
//   - (L4) A function literal is an object, too; to call it does not make it leak. If it does, so does what it
//     uses of the functions around it. So is the body of a range over a function: it is what the iterator is given.
//
// All other locals, temporaries, map elements (the runtime records the map) and
// constants are not recorded. Nor is the first value of a new variable: nobody else
// knows it yet. Of the initializers of package variables those are recorded that call something.
//
// # Reads (R)
//
//   - (R1) A load is recorded where it is written: (*runtime.RacepredR(&x.f, site)). The call
//     computes the address, the load stays a load. Copies of structs and arrays, headers of
//     slices, strings and interfaces are read whole.
//   - (R2) When a call, a receive, && or || with one in it follows in the same operand list, the compiler loads after
//     it. So the load is left as it is and recorded with that call:
//     x.f + runtime.RacepredAfter(g(), runtime.RacepredR(&x.f, site)). Calls in it, and what is evaluated at once, are kept in
//     variables for that. In x.f.m(g()), where g has several results, it is x.f.m(runtime.RacepredTwo(g()).After(...)). If that cannot be written, R1 is used when the call cannot change the address of the load,
//     else it is unrecorded.
//   - (R3) Pointers among the embedded fields that a selector passes through are loads. Fields that the package may not name
//     are found by their numbers when the program runs (RacepredReadField).
//   - (R4) A method with a value receiver loads what it is called on, through a pointer, too.
//   - (R5) Where the compiler does not know the method, through an interface, by a method expression and by reflection, a wrapper of the
//     compiler's does these loads. The file that declares the type has a function that records them and takes the wrapper's
//     place. Not recorded are the wrappers of generic types, of types in functions and of those without a name, and calls
//     through a type parameter. So that the compiler does not put the loads or the wrapper in the place of a call, it is not shown
//     what a local variable of an interface type holds, nor its fields and elements: runtime.RacepredIndirect(x).Method().
//
// # Writes (W)
//
//   - (W1) A store of something quiet (no call, no receive, no recorded load), or of a value of
//     more than 4 KiB that no call made, is recorded in place:
//     *runtime.RacepredW(&x.f, site) = 5. x++ and x += 5 are a read and a write, or W7.
//   - (W2) Any other is recorded when the right side has been evaluated:
//     x.f = runtime.RacepredAfter(g(), runtime.RacepredW(&x.f, site)).
//   - (W3) Calls on the left side are done first, as the compiler does, so that the address
//     can be computed twice: { t1 := f(); x.a[t1] = runtime.RacepredAfter(...) }.
//   - (W4) In a, b = f() and the comma-ok forms a plain variable is recorded right after the
//     statement, other targets are assigned in a second statement.
//   - (W5) return assigns named results that a closure shares, and reads them; after the deferred calls, if there are any.
//   - (W6) A parallel assignment of which a later target may panic (nil pointer, index out of range), or that could panic in
//     several ways, is made one assignment at a time: first the calls of both sides, then what an earlier assignment
//     could change for a later one, then each assignment, recorded by W1 or W2, as the compiler does it. So the earlier targets have
//     their values when a later one panics. What stood in other lines says so in /*line*/ comments. The two variables
//     that a range assigns are, at the beginning of the body. An element of a map stays
//     part of a parallel assignment, m[k], _ = x, 0, for then the compiler puts the key into the map before it evaluates x. In a post
//     statement that H3 cannot move, such a later target is unrecorded.
//   - (W7) x++, x -= 5, x |= y and so on, of an integer x and with an operation that commutes with itself, is told as what it is, with the sites of
//     the read and the write: *runtime.RacepredModify(&x.f, 1, site, site) += 5. Under a lock nobody sees the old value, and two such may trade
//     places. Where the read has to be recorded before a call on the right side, it stays a read and a write.
//   - (W8) list = append(list, v) is told as what it is, when it is done: list = runtime.RacepredPushed(append(*runtime.RacepredPushing(&list), v),
//     runtime.RacepredList(&list, site, site, site)). Under a lock nobody sees the old list, and two such may trade places.
//
// # Panics (P)
//
// Of several panics that a statement could end in (nil pointer, index, division, shift, type assertion, length, key), the one that
// comes first in rewritten code is meant to be the one that comes first in the original (package hazard): one nil pointer is like another.
//
//   - (P1) A recording call computes its address, which could panic, before everything that is no call. What could panic
//     in another way, and what the compiler evaluates before that, is evaluated at once where it stands. What
//     the compiler evaluates after the other operands (the slice of append, the callee) is recorded after them.
//   - (P2) Where that is not enough, the operands stay as they are, and are tried. Before the statement, or with the last call in it, a function
//     literal evaluates them and then evaluates them again, with recording. If it panics, nothing was recorded and the
//     statement is announced as opaque; it then panics by itself.
//   - (P3) Where that cannot be written (with a call whose type cannot be spelled, in a parallel assignment with a function
//     literal of several lines, in a post statement that H3 cannot move), they stay as they are, but for calls and what
//     else is evaluated by itself. They are unrecorded.
//
// A statement of several lines panics in the line that it panics in, but of several nil pointers in it another one may be named.
//
// # Covered accesses (C)
//
// Unless Config.All is set, an access is left out when the same goroutine has certainly recorded one of
// the same location in the same span, that is, since it last synchronized: a read after a
// read or a write, a write after a write. Such a repeat has the same clock and the same locks, so it
// races with what the first one races with, and the recorder's own filter drops it (rpFilter in package
// rt). What W7 records covers its like, and is covered by a write. Nothing is left out because of an access that comes later: a panic may come
// between. A read before a write of the same location stays, other than in RedCard (Flanagan and
// Freund, ECOOP 2013): what it read ties the witness to the write that it saw.
//
//   - (C1) The location is named by variables, fields, indirections and indexes, and its address is computed from
//     nothing but constants and local variables that only assignments of this function change. Such an
//     assignment, a communication, go, defer and any call that might synchronize end what is known. Functions of
//     the package that do nothing of the kind (package local) and simple ones of the library do not.
//   - (C2) What is known at the end of a branch, of the right side of && and || and of the body of a loop is forgotten; what
//     ended there is ended after it, too. A loop begins with what none of its turns ends.
//   - (C3) A load in the condition of a loop is recorded once, before the loop, if C1 holds for the whole loop. (BigFoot moves
//     checks out of bodies as well, Rhodes, Flanagan and Freund, PLDI 2017; a body may not be
//     run, and then the access would be made up.)
//   - (C4) An access in a loop, its head included, is recorded once if C1 holds of its location and of whatever the loop does
//     until it is left: by the first turn that comes to it, in its own place, so that a loop without turns records
//     nothing, and a panic comes before or after what it came before or after. A flag that is set with the first record, a local variable of
//     the outermost loop for which this holds, keeps the other turns from it. What a loop does in branches that end
//     with return or panic does not count: it does not come back from there.
//
// # Ranges, built-in and library functions (N, B)
//
//   - (N1) The elements of a slice are loaded one by one, each in its turn. What a range assigns is
//     recorded at the beginning of the body. Before go1.22 that includes the loop's own variables.
//   - (N2) A for statement copies its variables from turn to turn since go1.22: a read at the end of
//     each, if they are shared.
//   - (B1) len of a channel or a map is an observation; cap never changes.
//   - (B2) append writes the elements it adds, and reads those of a slice it adds.
//   - (B3) copy reads and writes the elements that it copies.
//   - (B4) clear writes all elements of a slice.
//   - (B6) A conversion of a slice to a string or an array reads the elements it takes.
//   - (B7) What may be a string or a slice of bytes (a type parameter) is asked when it runs.
//   - (B5) Functions of package slices that access all elements of their argument do so at the call. A sort
//     reads them if there are several; what it writes depends on their values, so it is opaque, too.
//
// # Opaque calls (O)
//
// A call that may run code nobody records is announced: predictors must not
// reorder two critical sections that both hold one.
//
//   - (O1) A call of a declared function is opaque unless its package is rewritten, recorded by the
//     compiler, or known to be harmless (package internal/library). A function of a rewritten package
//     that has no body, or that may not call, is opaque.
//   - (O2) Function literals, and variables that only ever hold literals or methods of
//     sync's locks, are recorded code.
//   - (O3) Methods of interfaces are opaque, but for error, context.Context, testing.TB and
//     sync.Locker, whose contract makes them harmless, and interfaces with an unexported
//     method, which only this package implements, unless one of its types has the method that is called from
//     an embedded type of unrecorded code. If what such an interface holds is a dependency's after all, package runtime
//     announces the call (rules M of rt/runtimehooks/methods.go); so it must go by the interface's table of methods
//     (R5), and every package with types tells package runtime that it is rewritten. All other func values are opaque.
//   - (O4) It is announced before the statement that holds the call, even if the call is then not
//     reached: more announcements only make predictions rarer.
//   - (O5) On the right of && and ||, and in the condition of a loop, it is announced
//     right there, each time.
//   - (O6) A deferred opaque call is announced by a deferred announcement that runs before it.
//     A call that go starts is not announced: it runs outside of every critical section.
//   - (O7) A generic function is compiled where it is used, so the compiler's recording of its
//     package does not reach it: it is opaque unless B5 covers it or its package is rewritten.
//   - (O8) A function of a package that the compiler records is only known to its end if it
//     calls nothing else, or only methods of its first argument and those are rewritten (sort.Sort, heap.Push).
//   - (O9) A harmless function is opaque all the same if what it is given leads to memory of the
//     caller (strconv.AppendInt), unless its package synchronizes (sync, context, testing), or nobody
//     else knows that memory.
//   - (O10) So is an access that no rule can record, and in a post statement that stays where it is it is
//     announced in the condition that follows.
//   - (O11) A call that only prints (of fmt, log and log/slog) is not opaque if all that it prints are values (numbers, strings, errors), or types
//     whose String method is known. What it prints to is a file, which the recorder knows, or the library says so when it runs.
//   - (O12) A harmless function is opaque where it is given a function value that is not for certain one of recorded code (once.Do(b.Init),
//     strings.Map), unless it calls that elsewhere or later (WaitGroup.Go, Cleanup). So is Get of a sync.Pool whose New may be such a function, and a method of
//     a rand.Rand where the package makes one of a source of unrecorded code.
//
// # Results that nobody looks at (D)
//
//   - (D1) Of an atomic addition or bit operation whose result is thrown away that is recorded, too: it may trade places
//     with its like.
//   - (D2) So it is with one that a function returns which only its package can call, when every call in the package throws the result away, or
//     returns it from such a function. What such a function loads to return it is not recorded after W7 recorded the same location in the span.
//
// # Units (U)
//
//   - (U1) A function with the line //racepred:atomic in its comment is meant to be atomic: it says when it begins, and by a deferred call when
//     it ends. Goroutines that it starts are no part of it.
//   - (U2) With Config.Sections so does a function, or function literal, with two calls that take a lock of the same name (c.mu). A loop in it with such a call says when
//     it begins a turn.
//
// # Heads of statements (H)
//
//   - (H1) What the init statement of an if assigns is recorded in its condition.
//   - (H2) Any other init statement that assigns old variables and could not be recorded where it is, goes before the statement.
//     What has to go before else if makes it else { ... if }.
//   - (H3) A post statement of a loop of which more could be recorded if it stood in a list goes to the beginning of the body, with the condition
//     after it: for i := 0; i < n; s { ... } becomes { t1 := false; for i := 0; ; { if t1 { s } else { t1 = true }; if !(i < n)
//     { break }; ... } }. The variables of the loop are copied before it, as they were. A loop that a goto leads to stays as it is.
//
// # Left alone
//
// Packages that do not type-check, use cgo, redeclare byte, or that package
// runtime is built on; functions marked go:nosplit, go:norace or go:systemstack. An access
// that no rule can record without changing what the program does is left unrecorded, announced, and
// counted with its Reason.
//
// Which of several panics comes first may differ from the original in the arguments of a function that the compiler inlines in the
// original but not in rewritten code, for it evaluates them in another order then. docs/rewriting.md has an example.
package instrument
