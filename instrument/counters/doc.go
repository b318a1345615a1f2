// Package counters puts what the cover tool inserts into a file into the rewritten form of that
// file.
//
// The cover tool and the rewriter start from the same original. The go command hands the original
// to the cover tool, which writes the original with counters in it and ignores the overlay. The
// rewriter does not know which files are covered, in which mode, or by which counters. So the
// rewriter leaves a slot wherever the cover tool could insert something, and the two are joined
// when the cover tool has run:
//
//	original -> Slots -> package instrument: a template, the rewritten file with slots
//	original, covered file -> Insertions
//	template, insertions -> Fill: the rewritten file with counters
//
// Strip takes the slots out of a template: that is the rewritten file without coverage.
//
// A profile gets its positions and statements from tables that the cover tool makes of the
// original. They are not touched. The rewriter never sees the counters, so none is ever recorded,
// and none changes what is recorded.
//
// The rules:
//
//   - (K1) A slot MUST be run exactly when the original comes to its offset; otherwise counts
//     differ. Text that the rewriter puts before a statement comes after the slot of the statement.
//     Text at the beginning of a loop's body that belongs to the loop's head comes before the slot
//     of the body (Edit.Ahead of package instrument).
//   - (K2) Text that the rewriter moves takes its slots along. Text that it evaluates a second time
//     has no function literal, so it has no slots.
//   - (K3) Each insertion MUST find its slot, and the covered file without insertions MUST be the
//     original; otherwise joining fails, and so does the build. A file is never built without
//     recording in silence. A package with a template that lacks a slot is not rewritten under
//     coverage, and that is said.
package counters
