package protocol

// State is how far a process came with its analysis: memory that it shares with the first page of
// its file StateSuffix, so that a reader finds it whatever ended the process. The words are in the
// machine's own order. Behind the page is one JSON object (Process) as in a .result file, with what
// is known of the process at its start.
type State struct {
	Version     uint64 // StateVersion
	Events      uint64 // as in Stats, and those below
	Filtered    uint64
	Candidates  uint64
	Infeasible  uint64
	Unknown     uint64
	Evicted     uint64
	Races       uint64 // as in Process
	Failures    uint64
	Waiting     uint64 // pairs that may race and are not looked into yet
	Nanoseconds uint64 // from the start to when this was written
	Became      uint64 // 1: another program, if nothing went wrong with that
}

const (
	// StateSize is how many bytes of the file the State has, with room to grow.
	StateSize = 4096
	// StateVersion changes with State.
	StateVersion = 1
)
