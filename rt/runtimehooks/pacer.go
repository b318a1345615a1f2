//go:build racepred_seam

package runtime

import (
	"internal/runtime/atomic"
	_ "unsafe" // go:linkname
)

// The engine's part of the heap is not the tested program's: the next collection of garbage begins
// when the program has allocated as much as it would have without the engine. If the engine's bytes
// counted like the program's, the heap could grow without bound, since the engine may keep more
// bytes for an object than the object has: there would be more garbage between two collections, its
// addresses would be used again later, the engine would learn later that objects are dead, and keep
// yet more.

var (
	rpEngineHeap   uint64 // about how much of the heap the engine takes, as it said last
	rpEngineMarked uint64 // and had said when the last collection ended
)

//go:linkname rp_heap internal/racepred/process.runtime_heap
func rp_heap(bytes uint64) { atomic.Store64(&rpEngineHeap, bytes) }

// rpMarked is called when all that lives is marked, with the world stopped.
func rpMarked() { rpEngineMarked = rpEngineHeap }

// rpOwnHeap is how much of the heap that was marked is the engine's. Collections become no more
// frequent than one for each eighth of all that they mark.
func rpOwnHeap(marked uint64) uint64 { return min(rpEngineMarked, marked-marked/8) }

// rpHeapGoal is a goal for when the next collection ends, with what the engine took since the last
// one.
func rpHeapGoal(goal uint64) uint64 {
	if now := atomic.Load64(&rpEngineHeap); now > rpEngineMarked && goal < ^uint64(0)-now {
		goal += now - rpEngineMarked
	}
	return goal
}
