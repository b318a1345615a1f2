// Package tracefile is a trace on disk: events, and tables of the names that they refer to ->
// blocks of a file, and back. docs/trace.md describes the format byte by byte.
//
//	(F1) A file is a header and a sequence of blocks, each with its number, its length, and a
//	     checksum of both its head and its content: what was written before a kill is read, and
//	     nothing else.
//	(F2) What a block refers to is in the blocks before it.
//	(F3) The reader repeats the writer's state; it depends on the blocks before and on nothing else.
//	(F4) A field that trace.Specs does not give an event's kind is not written, and is zero when
//	     read back.
//	(F5) One state of the tables and one sequence of events have one encoding.
//
// The writer is linked into the tested binary.
package tracefile
