//go:build racepred_seam

package syscall

// What a system call does for goroutines that look at it from outside. Package syscall has the
// table (calls_linux_amd64.go and its like), package runtime carries it out (outside.go); this file
// is laid into both, only the package clause differs.
//
// A call that tells changes what others can see; a call that is told sees what others did. A call
// that is not in the table does both.
const (
	rpCallBoth    = iota // tells and is told, about the world
	rpCallNone           // a goroutine cannot observe others by it: clocks, memory, threads
	rpCallTold           // sees the world
	rpCallTold1          // the same, by the path in the first argument
	rpCallTold2          // by that in the second
	rpCallWatches        // begins to be told of what is done to files
	rpCallSignal         // tells the world, but for signal 0
	rpCallName           // makes or removes the name in the first argument
	rpCallNameAt         // the same, in the second, below the directory in the first

	// On the object of the descriptor in the first argument:
	rpCallRead   // takes data
	rpCallWrite  // gives data
	rpCallReadAt // the same, but for where the next call goes on
	rpCallWriteAt
	rpCallSeek // changes only that
	rpCallLook // sees the object's state
	rpCallIoctl
	rpCallAlter // changes the object's state, and may see it
	rpCallSet   // changes it, and sees nothing
	rpCallSelf  // a socket's own settings, which the other end does not see
	rpCallSetOption
	rpCallGetOption
	rpCallLock // of files

	rpCallReadFrom // takes data, from the address that the fifth argument gets
	rpCallWriteTo  // gives data, to the address in the fifth argument
	rpCallReadMsg  // the same for messages, whose headers are in the second argument
	rpCallWriteMsg
	rpCallReadMsgs // and for many of them
	rpCallWriteMsgs

	rpCallMoveOutIn   // data to the descriptor in the first argument from that in the second
	rpCallMoveIn1Out3 // from the one in the first to the one in the third
	rpCallMoveIn1Out2 // from the one in the first to the one in the second

	rpCallOpen   // by a path, with the flags in the second argument
	rpCallOpenAt // with the flags in the third
	rpCallClose
	rpCallShutdown
	rpCallCloseMany
	rpCallDup   // a new descriptor for an open one
	rpCallDupTo // likewise, in place of the one in the second argument
	rpCallFcntl
	rpCallPipe
	rpCallPipe2
	rpCallMknod   // with the mode in the second argument
	rpCallMknodAt // with the mode in the third
	rpCallSocket
	rpCallSocketPair
	rpCallBind
	rpCallListen
	rpCallConnect
	rpCallAccept
	rpCallPoll   // the descriptors of an array
	rpCallSelect // the descriptors of bit sets
	rpCallWatch  // a descriptor, the third argument, that the kernel looks at from now on
	rpCallMap    // memory that is not Go's
	rpCallRing   // the kernel does whatever other calls do

	rpCallSignalThread // rpCallSignal with the signal in the third argument
	rpCallExit         // of the process, with the status in the first argument
)
