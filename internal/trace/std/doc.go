// Package std writes traces in the STD format of RAPID and its relatives (package trace reads it):
// events -> lines.
//
// STD knows plain accesses of whole variables, exclusive locks, fork and join. The rest is
// expressed by them, so that a tool for STD that keeps to the definition of a correct reordering
// (reads keep their writers, sections of a lock exclude each other, fork and join) has the same
// reorderings to choose from:
//
//	(S1) Bytes that every access has together are one variable; an access of several variables is an
//	     event for each. Alloc makes them new variables from there on.
//	(S2) Of a lock that a goroutine has entered more than once, only the outermost acquire and
//	     release count.
//	(S3) A lock in read mode is one lock for each goroutine that reads under it; in write mode it is
//	     all of these, and one more.
//	(S4) An edge that no reordering may break is a variable under a lock, both of its own: one end
//	     writes the variable, the other reads it.
//	(S5) HardAcquire and HardSwap have such edges from all the releases that the object holds,
//	     without those that program order and other edges of the object imply.
//	(S6) A section that is flagged hard, or that another goroutine ends, becomes edges instead of a
//	     section: from all releases of the lock before it, from its acquire to its release, and from
//	     there to all acquires after it.
//	(S7) Change reads and writes a variable of its object, Observe reads it, under a lock. The
//	     variable is left out if only one goroutine uses it, or if the trace has only unseen Changes
//	     of it, which may come in any order.
//	(S8) Opaque reads a variable of each lock around it, and writes it when the lock is held in
//	     write mode.
//	(S9) A TryFail reads, under a lock, a variable that each section that was open writes when it
//	     begins and when it ends. If none was open, it has edges from all releases of the lock, and
//	     reads a variable that every later acquire writes.
//	(S10) An atomic access is made under a lock of its variable.
//	(S11) The location is the site; for an event without one, 2^30 and its stack.
//	(S12) An unseen Write is a read and a write. Other unseen events are like seen ones, except for
//	      (S7).
//
// The text differs from the trace in four points:
//
//   - Unseen events keep their order (S12), which may hide races.
//   - An access of several variables is several steps (S1). It may race in one of them only after
//     it did those before, and other goroutines may see it half done. If the trace has no race, the
//     text has none either.
//   - A section that another goroutine ends keeps its place (S6), which may hide races.
//   - An old life of bytes does not come before the new one (S1).
//
// The locks and edges of (S6) to (S10) order more than happens-before does, so a tool for
// happens-before misses races that only those hide. TestBegin is left out.
package std
