package tracefile

import "strconv"

// Magic begins a file; Version comes after it, as one byte.
const (
	Magic   = "\x89RPTRACE"
	Version = 7
	oldest  = 1 // the first version that is still read; it has no FlagUnseen, and deferred searches came with version 4
)

// Up to version 6 there were no missed accesses, up to version 5 no units. Versions 3 and 4 had two
// more kinds of events, between which accesses were missing. A file with one of these is an error.

// Suffix is how the names of trace files end.
const Suffix = ".rptrace"

// block is what a block holds. The order of the constants is part of the format: append, never
// reorder.
type block uint8

const (
	noBlock       block = iota
	blockMeta           // pairs of strings about the run
	blockStrings        // strings, numbered from 0 in the order of the file
	blockFrames         // frames of call stacks, numbered from 0
	blockStacks         // call stacks
	blockSites          // site tables
	blockTests          // names of tests
	blockEvents         // events
	blockFlushed        // the recording engine decided about all waiting goals
	blockEnd            // totals; the last block of a recording that ended in order
	blockDeferred       // the deferred search that the next events belong to
)

// blockSpecs has one row per block: its name, and how the reader reads it.
var blockSpecs = [...]struct {
	name string
	read func(*Reader, *input) error
}{
	noBlock:       {"none", nil},
	blockMeta:     {"meta", (*Reader).meta},
	blockStrings:  {"strings", (*Reader).strings},
	blockFrames:   {"frames", (*Reader).frames},
	blockStacks:   {"stacks", (*Reader).stacks},
	blockSites:    {"sites", (*Reader).sites},
	blockTests:    {"tests", (*Reader).tests},
	blockEvents:   {"events", (*Reader).events},
	blockFlushed:  {"flushed", (*Reader).flushed},
	blockEnd:      {"end", (*Reader).end},
	blockDeferred: {"deferred", (*Reader).startDeferred},
}

func (b block) String() string {
	if int(b) < len(blockSpecs) {
		return blockSpecs[b].name
	}
	return "block kind " + strconv.Itoa(int(b))
}

// A block's head: kind (1 byte), the low 24 bits of its number in the file (from 0), length of the
// content, checksum of these eight bytes; then the content and its checksum.
const (
	headLen    = 12
	tailLen    = 4
	maxContent = 64 << 20
)

// blockEvery is how many bytes of events are enough for a block.
const blockEvery = 64 << 10

// appendBlock appends a block with the given content.
func appendBlock(b []byte, kind block, number uint32, content []byte) []byte {
	var head [headLen]byte
	put32(head[0:], number<<8|uint32(kind))
	put32(head[4:], uint32(len(content)))
	put32(head[8:], checksum(head[:8]))
	b = append(b, head[:]...)
	b = append(b, content...)
	var tail [tailLen]byte
	put32(tail[:], checksum(content))
	return append(b, tail[:]...)
}
