// Package rt is the part of racepred that is linked into the tested binary, in
// three layers:
//
//	runtimehooks/  laid into package runtime: the recording fast path, the
//	               per-goroutine buffers, the tickets (replaces runtime/race0.go)
//	racehooks/     laid into internal/race: what package sync, os and testing call
//	process/       an ordinary package: drains the buffers into the engine at
//	               safe points and prints findings
//
// Rewritten code calls only these functions, which package runtime then
// exports (the declarations are generated into the toolchain's runtime):
//
//	RacepredRead(p unsafe.Pointer, size uintptr, site *byte)
//	RacepredWrite(p unsafe.Pointer, size uintptr, site *byte)
//	    record a plain access of the size bytes at p, at the site. nil p with size 0 is allowed.
//	RacepredR[T any](p *T, site *byte) *T
//	RacepredW[T any](p *T, site *byte) *T
//	    the same for *p, returning p, for use inside expressions: *runtime.RacepredR(&x.f, s).
//	RacepredModify[T any](p *T, op uint8, read, write *byte) *T
//	    the same for *p on the left side of x op= y, with the sites of its read and its write. op is 1 for + and -, 2 for & and &^, 3
//	    for |, 4 for ^, 5 for *; T is an integer type.
//	RacepredPushing[S ~[]E, E any](p *S) *S
//	    elements are going to be appended to *p, a slice.
//	RacepredPushed[S ~[]E, E any](v S, l racepredList[S]) S
//	    they were: v, which is returned, is going to be assigned to the variable of l, which RacepredList makes of its pointer and three sites.
//	RacepredOpaque(site *byte)
//	    unrecorded code is about to be called.
//	RacepredAtomic(site *byte), RacepredSections(site *byte)
//	    a function begins that is meant to be atomic, or of which what it does in a section of a lock and in the next one is.
//	RacepredTurn(), RacepredUnitEnd()
//	    a loop in it begins a turn; it ends.
//	RacepredGiven[T any](v T, site *byte) T
//	    a method of v, which is returned, is about to be called, T being the type of a type parameter: unrecorded code if it is of a dependency.
//	RacepredCallee[F any](f F, site *byte) F, RacepredReceiver[T any](v T, site *byte) T
//	    f, a func value, or a method of v, a value in an interface, is about to be called: it may be unrecorded code (runtimehooks/J1 and following).
//	RacepredPartly(pkg string)
//	    some functions of a rewritten package are not recorded (runtimehooks/J1).
//	RacepredChanLen(ch unsafe.Pointer) int
//	    len of a channel (the hchan pointer), recorded as an observation of it.
//	RacepredSites(file, pkg string, base *byte, n int, table string)
//	    tells the report which sites base[0..n) stand for. Called from an init of each rewritten file. If a package has none, base is nil: it is
//	    rewritten all the same (runtimehooks/M1).
//	RacepredWrapper[F any](to *F, wrapper, forward F, boxed bool)
//	    forward is to take the place of wrapper, a method that the compiler made up, of the type that the next call of RacepredWrapped
//	    names; *to is set to wrapper. boxed: also for values of the type that interfaces keep by a pointer. Called from the same init.
//	RacepredWrapped(pointer any)
//	    puts these functions in the places of the wrappers of a type's methods, and of those of pointers to it.
//
// A site is the address of one byte of a per-file array, `var _racepredSites_xxx [n]byte`: a
// link-time constant, so that it costs one LEA and needs no registration before first use.
// The table has n lines, line i for &base[i]:
//
//	LINE:COL TAB OP TAB EXPR TAB FUNC
//
// with OP one of read, write, opaque, lock, rlock, unlock, group, go, send, recv, close, map,
// atomic (a site with no runtime call of its own, looked up by file:line, only gives a name), EXPR
// the expression as written ("c.items", at most 80 bytes, no tabs or newlines) and FUNC the
// enclosing function's name.
package rt
