// Package instrument turns Go source into the same source with recording calls: reads and writes
// that other goroutines could see are reported to package runtime (see package rt) before or right
// after they happen.
//
// Decide looks at one type-checked file and returns a Plan: edits with the rule that asked for
// them, sites, and what is not covered and why. It is a pure function. Rewrite loads packages,
// decides, and splices the edits into the original bytes. Nothing is reformatted: every statement
// keeps its line, comments and //go: directives stay where they are, and a second run gives the
// same bytes.
//
// Rewritten code evaluates every expression once and in the order in which the compiler evaluates
// the original: calls, receives and the operators && and || from left to right, plain loads after
// the calls of the same operand list, stores last.
//
// # What is shared (S)
//
//   - (S1) Package variables, and everything behind a pointer or in a slice.
//   - (S2) A local variable whose address is taken: by &v, by a method with a pointer receiver, or
//     by slicing an array.
//   - (S3) A local variable used in a function literal and assigned anywhere but in its
//     declaration. A literal that runs at once and on the same goroutine, func(){...}() or defer
//     func(){...}(), does not count. The body of a range over a function is a literal that another
//     goroutine may run. With Config.All the variable need not be assigned.
//
// # What stays local (L)
//
// Shared objects and variables that provably stay with one goroutine are not recorded, unless
// Config.All is set. No other goroutine ever reaches them, so no finding depends on them.
//
//   - (L1) An object that &T{}, new, make, append or []byte(s) made, as long as only local
//     variables refer to it. It leaks when it is stored anywhere else, sent, returned, converted to
//     an interface or to an unsafe.Pointer, given to a go statement, or passed to a function that
//     is not known. What it points to is another object.
//   - (L2) A local variable whose address stays in such variables.
//   - (L3) A parameter of a function of the package leaks only if the function makes it leak. Some
//     functions of the library are known to keep nothing (package internal/library).
//   - (L4) A function literal is an object, too; a call of it does not make it leak. If it leaks,
//     so do the variables around it that it uses. The body of a range over a function is a literal
//     that is passed to the iterator.
//
// All other locals, temporaries, map elements (the runtime records the map) and constants are not
// recorded. Nor is the first value of a new variable: no other goroutine knows the variable yet. Of
// the initializers of package variables those are recorded that call something.
//
// # Reads (R)
//
//   - (R1) A load is recorded where it is written: (*runtime.RacepredR(&x.f, site)). The call
//     computes the address, the load stays a load. Copies of structs and arrays, headers of slices,
//     strings and interfaces are read whole.
//   - (R2) When a call, a receive, or a && or || with one in it follows in the same operand list,
//     the compiler loads after it. So the load stays as it is and is recorded with that call: x.f +
//     runtime.RacepredAfter(g(), runtime.RacepredR(&x.f, site)). Calls in the operand of the load,
//     and operands that are evaluated at once, are kept in variables for that. If g has several
//     results, x.f.m(g()) becomes x.f.m(runtime.RacepredTwo(g()).After(...)). If that cannot be
//     written, the load is recorded by R1 when the call cannot change its address, and else not.
//   - (R3) Pointers among the embedded fields that a selector passes through are loads. Fields that
//     the package may not name are found by their numbers when the program runs
//     (RacepredReadField).
//   - (R4) A method with a value receiver loads the value that it is called on, also through a
//     pointer.
//   - (R5) Where the compiler does not know the method (through an interface, by a method
//     expression, by reflection) a wrapper that the compiler made does these loads. The file that
//     declares the type has a function that records them and takes the wrapper's place. Not
//     recorded are the wrappers of generic types, of types in functions and of types without a
//     name, and calls through a type parameter. Of a type with more than 64 wrappers, those that
//     have the name of a method in no interface that the package or a package that it imports has
//     are not recorded either. The compiler must not replace a call by the loads or by the wrapper,
//     so it is not shown the value of a local variable of an interface type, nor
//     of its fields and elements: runtime.RacepredIndirect(x).Method().
//
// # Writes (W)
//
//   - (W1) A store is recorded in place, *runtime.RacepredW(&x.f, site) = 5, if its value is quiet
//     (no call, no receive, no recorded load), or has more than 4 KiB and was not made by a call.
//     x++ and x += 5 are a read and a write, or W7.
//   - (W2) Any other store is recorded when the right side has been evaluated:
//     x.f = runtime.RacepredAfter(g(), runtime.RacepredW(&x.f, site)).
//   - (W3) Calls on the left side are done first, as the compiler does them, so that the address
//     can be computed twice: { t1 := f(); x.a[t1] = runtime.RacepredAfter(...) }.
//   - (W4) In a, b = f() and the comma-ok forms a plain variable is recorded right after the
//     statement, other targets are assigned in a second statement.
//   - (W5) A return statement writes the named results that a closure shares, and reads them, after
//     the deferred calls if there are any.
//   - (W6) A parallel assignment is made one assignment at a time if a later target may panic (nil
//     pointer, index out of range), or if the statement could panic in several ways: first the
//     calls of both sides, then the operands that an earlier assignment could change for a later
//     one, then each assignment, recorded by W1 or W2, as the compiler does it. So the earlier
//     targets have their values when a later one panics. Text from other lines names its line in
//     /*line*/ comments. The two variables that a range assigns are assigned at the beginning of
//     the body. An element of a map stays part of a parallel assignment, m[k], _ = x, 0, since the
//     compiler then puts the key into the map before it evaluates x. In a post statement that H3
//     cannot move, the later target is unrecorded.
//   - (W7) x++, x -= 5, x |= y and so on, of an integer x and with an operation that commutes with
//     itself, are recorded as such an update, with the sites of the read and the write:
//     *runtime.RacepredModify(&x.f, 1, site, site) += 5. Under a lock no other goroutine sees the
//     old value, and two such updates may trade places. If the read has to be recorded before a
//     call on the right side, the update is recorded as a read and a write.
//   - (W8) list = append(list, v) is recorded as an append when it is done: list =
//     runtime.RacepredPushed(append(*runtime.RacepredPushing(&list), v),
//     runtime.RacepredList(&list, site, site, site)). Under a lock no other goroutine sees the old
//     list, and two such appends may trade places.
//
// # Panics (P)
//
// A statement may be able to panic in several ways (nil pointer, index, division, shift, type
// assertion, length, key). The first panic of rewritten code is meant to be the first one of the
// original (package hazard); one nil pointer is like another.
//
//   - (P1) A recording call computes its address, which could panic, before all operands that are
//     no calls. An operand that could panic in another way, and that the compiler evaluates before
//     that address, is evaluated at once where it stands. Operands that the compiler evaluates
//     after the others (the slice of append, the callee) are recorded after them.
//   - (P2) Where that is not enough, the operands stay as they are, and are tried: before the
//     statement, or with the last call in it, a function literal evaluates them and then evaluates
//     them again, with recording. If it panics, nothing was recorded and the statement is announced
//     as opaque; it then panics by itself.
//   - (P3) Where that cannot be written (with a call whose type cannot be spelled, in a parallel
//     assignment with a function literal of several lines, in a post statement that H3 cannot
//     move), the operands stay as they are and are unrecorded. Calls in them, and what else is
//     evaluated by itself, are recorded as usual.
//
// A statement of several lines panics in the line that the original panics in. Of several nil
// pointers in it, the traceback may name another one.
//
// # Covered accesses (C)
//
// Unless Config.All is set, an access is left out when the same goroutine has certainly recorded
// one of the same location in the same span, that is, since it last synchronized: a read after a
// read or a write, a write after a write. Such a repeat has the same clock and the same locks, so
// it races with what the first one races with, and the recorder's own filter drops it (rpFilter in
// package rt). An update that W7 records covers later updates of its kind, and is covered by a
// write. Nothing is left out because of an access that comes later: a panic may come between. A
// read before a write of the same location stays, other than in RedCard (Flanagan and Freund, ECOOP
// 2013): the value that it read ties the witness to the write that it saw.
//
//   - (C1) The location is named by variables, fields, indirections and indexes, and its address is
//     computed from nothing but constants and local variables that only assignments of this
//     function change. Such an assignment, a communication, go, defer and any call that might
//     synchronize end what is known. Calls of functions of the package that do nothing of the kind
//     (package local) and of simple functions of the library do not.
//   - (C2) What is known at the end of a branch, of the right side of && and || and of the body of
//     a loop is forgotten after it; what was ended there stays ended. A loop begins with what none
//     of its turns ends.
//   - (C3) A load in the condition of a loop is recorded once, before the loop, if C1 holds for the
//     whole loop. (BigFoot moves checks out of bodies as well, Rhodes, Flanagan and Freund, PLDI
//     2017; a body may not be run, and then the record would be of an access that never happened.)
//   - (C4) An access in a loop, its head included, is recorded once if C1 holds for its location
//     and for all that the loop does until it is left. The first turn that comes to the access
//     records it, in its own place, so a loop without turns records nothing, and a panic stays
//     before or after the record as it was before or after the access. A flag is set with the first
//     record and keeps the other turns from it: a local variable of the outermost loop for which
//     this holds. Branches that end with return or panic do not count: the loop is left there.
//
// # Ranges, built-in and library functions (N, B)
//
//   - (N1) The elements of a slice are loaded one by one, each in its turn. What a range assigns is
//     recorded at the beginning of the body. Before go1.22 that includes the loop's own variables.
//   - (N2) Since go1.22 a for statement copies its variables from turn to turn: a read at the end
//     of each, if they are shared.
//   - (B1) len of a channel or a map is an observation; cap never changes.
//   - (B2) append writes the elements it adds, and reads those of a slice it adds.
//   - (B3) copy reads and writes the elements that it copies.
//   - (B4) clear writes all elements of a slice.
//   - (B5) Functions of package slices that access all elements of their argument do so at the
//     call. A sort reads them if there are several; what it writes depends on their values, so it
//     is opaque, too.
//   - (B6) A conversion of a slice to a string or an array reads the elements it takes.
//   - (B7) A value of a type parameter may be a string or a slice of bytes: it is asked when it
//     runs.
//   - (B8) A string that unsafe.String, or a conversion of a pointer, makes of bytes without a copy
//     reads them when it is made: they must not change while there is the string.
//
// # Opaque calls (O)
//
// A call that may run unrecorded code is announced: predictors must not reorder two critical
// sections that both hold such a call.
//
//   - (O1) A call of a declared function is opaque unless its package is rewritten, recorded by the
//     compiler, or known to be harmless (package internal/library). A function of a rewritten
//     package that has no body, or that may not call, is opaque.
//   - (O2) Function literals, and variables that only ever hold literals or methods of sync's
//     locks, are recorded code.
//   - (O3) Methods of interfaces are opaque, but for error, context.Context, testing.TB and
//     sync.Locker, whose contract makes them harmless. Methods of an interface with an unexported
//     method are not opaque either: only this package implements it. They are if one of its types
//     has the method from an embedded type of unrecorded code. An interface that is taken for
//     harmless may hold a type of a dependency after all; then package runtime announces the call
//     (rules M of rt/runtimehooks/methods.go). So the call must go by the interface's table of
//     methods (R5), and every package with types tells package runtime that it is rewritten. All
//     other func values are opaque, unless O13 can ask.
//   - (O4) A call is announced before the statement that holds it, even if it is then not reached:
//     more announcements only make predictions rarer.
//   - (O5) On the right of && and ||, and in the condition of a loop, it is announced right there,
//     each time.
//   - (O6) A deferred opaque call is announced by a deferred announcement that runs before it. If
//     O13 asks about its callee where it is deferred, RacepredAnswered is that announcement. A call
//     that go starts is not announced: it runs outside of every critical section.
//   - (O7) A generic function is compiled where it is used, so the compiler's recording of its
//     package does not reach it: it is opaque unless B5 covers it or its package is rewritten.
//   - (O8) A function of a package that the compiler records is only known to its end if it calls
//     nothing else, or only methods of its first argument and those are rewritten (sort.Sort,
//     heap.Push). Which functions these are, the tables of package library say; of most of them the
//     source shows it (library/shown.go). A method of an interface that only the library implements
//     (reflect.Type) is one of them if all its implementations are.
//   - (O9) A harmless function is opaque all the same if it is given memory of the caller
//     (strconv.AppendInt), unless its package synchronizes (sync, context, testing), or no other
//     goroutine knows that memory.
//   - (O10) An access that no rule can record is opaque, too. In a post statement that stays where
//     it is it is announced in the condition that follows.
//   - (O11) A call that only prints (of fmt, log and log/slog) is not opaque if everything that it
//     prints is a value (numbers, strings, errors), or has a type whose String method is known. It
//     prints to a file, which the recorder knows, or to a value whose Write method is recorded; for
//     other writers of log and log/slog the library announces the call when it runs.
//   - (O12) A harmless function is opaque where it is given a function value that may be unrecorded
//     code (once.Do(b.Init), strings.Map), unless it calls that elsewhere or later (WaitGroup.Go,
//     Cleanup). So are Get of a sync.Pool whose New may be such a function, and a method of a
//     rand.Rand if the package makes one of a source of unrecorded code.
//   - (O13) A call whose callee is known only when it runs asks about it then: the value of the
//     function or interface goes through RacepredCallee or RacepredReceiver, which announce the
//     call if the callee is not recorded (rules J of rt/runtimehooks/callee.go). So that they know,
//     each file of a package with unrecorded functions says so (RacepredPartly). Where the compiler
//     loads the value after a call in the arguments that may change it, the call is announced as
//     any other.
//   - (O14) Announcements and questions come before what else the statement does, so the lock may
//     be taken after them: f(lockAnd(&mu)). What is opaque is therefore announced once more behind
//     each other call of the statement that may take a lock: f(RacepredAfter(lockAnd(&mu),
//     RacepredOpaqueHere(site))), or RacepredAnswered(site) if its callee was asked about. Where
//     such a call is moved before the statement, that comes after the whole statement, and so it
//     does if an iterator runs the body of a loop, which may take the lock.
//
// # Atomic operations (D)
//
//   - (D1) An atomic addition or bit operation whose result is thrown away is recorded as such: two
//     of them may trade places.
//   - (D2) The same holds for one that a function returns if only its package can call the
//     function, and every call throws the result away or returns it from such a function. A load
//     that such a function returns is not recorded if W7 recorded the same location in the span.
//   - (D3) Other calls of functions of package sync/atomic become calls of twins that the compiler
//     does not replace by instructions.
//
// # Units (U)
//
//   - (U1) A function with the line //racepred:atomic in its comment is meant to be atomic: it
//     announces its beginning, and by a deferred call its end. Goroutines that it starts are not
//     part of it.
//   - (U2) With Config.Sections so does a function, or function literal, with two calls that take a
//     lock of the same name (c.mu). A loop in it with such a call announces the beginning of each
//     turn.
//
// # Generic functions (G)
//
//   - (G1) A generic function with records is marked go:norace: packages that the compiler records
//     instantiate it, too.
//   - (G2) A pointer to an array that a call gives, and that is sliced, goes through RacepredArray.
//     A helper may be around the call, and the compiler, where it does not inline, does not slice
//     what a generic function returned (up to Go 1.27 at least: "bad ptr to array in slice").
//
// # Heads of statements (H)
//
//   - (H1) A variable that the init statement of an if assigns is recorded in the condition.
//   - (H2) Any other init statement that assigns old variables, and could not be recorded where it
//     is, goes before the statement. If that statement is an else if, it becomes else { ... if }.
//   - (H3) A post statement of a loop goes to the beginning of the body, with the condition after
//     it, if more of it can be recorded there: for i := 0; i < n; s { ... } becomes { t1 := false;
//     for i := 0; ; { if t1 { s } else { t1 = true }; if !(i < n) { break }; ... } }. The variables
//     of the loop are copied before it, as they were. A loop that a goto leads to stays as it is.
//
// # Left alone
//
// Packages that do not type-check, use cgo, redeclare byte, true, false or nil, or that package
// runtime is built on; functions marked go:nosplit, go:norace or go:systemstack. An access that no
// rule can record without changing what the program does is left unrecorded, announced, and counted
// with its Reason.
//
// The compiler evaluates the arguments of an inlined function in another order. A function that is
// inlined in the original but not in rewritten code may therefore panic in another of its arguments
// first. docs/rewriting.md has an example.
package instrument
