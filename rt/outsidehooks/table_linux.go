//go:build racepred_seam && (amd64 || arm64)

package syscall

// rpCalls says what each system call does, by its number; docs/soundness.md ("The outside world")
// has the arguments. The calls that only one architecture has are added by its file. A call that is
// missing tells and is told (rpCallBoth).
var rpCalls = [512]uint8{
	// Clocks and the processor: what they tell is not another goroutine's doing.
	SYS_SCHED_YIELD: rpCallNone, SYS_NANOSLEEP: rpCallNone, SYS_CLOCK_GETTIME: rpCallNone, SYS_CLOCK_GETRES: rpCallNone,
	SYS_CLOCK_NANOSLEEP: rpCallNone, SYS_GETTIMEOFDAY: rpCallNone, SYS_TIMES: rpCallNone, SYS_GETRUSAGE: rpCallNone,

	// Memory of this process: its accesses act on the world (outside_foreign.go). The runtime does
	// not come here for its own.
	SYS_MMAP: rpCallMap, SYS_MREMAP: rpCallMap, SYS_SHMAT: rpCallMap, SYS_MADVISE: rpCallNone,
	SYS_BRK: rpCallNone, SYS_MLOCK: rpCallNone, SYS_MUNLOCK: rpCallNone, SYS_MLOCKALL: rpCallNone, SYS_MUNLOCKALL: rpCallNone,

	// Threads. Goroutines that use a futex, the runtime itself for one, use memory for what they
	// tell.
	SYS_FUTEX: rpCallNone, SYS_SET_ROBUST_LIST: rpCallNone, SYS_GET_ROBUST_LIST: rpCallNone, SYS_SET_TID_ADDRESS: rpCallNone,
	SYS_SIGALTSTACK: rpCallNone, SYS_RT_SIGRETURN: rpCallNone, SYS_EXIT: rpCallNone,
	SYS_GETTID: rpCallNone, SYS_GETPID: rpCallNone, SYS_UNAME: rpCallNone,

	// Looks at the file system and at other processes.
	SYS_FACCESSAT: rpCallTold2, SYS_READLINKAT: rpCallTold2, SYS_STATFS: rpCallTold1, SYS_GETCWD: rpCallTold,
	SYS_GETXATTR: rpCallTold, SYS_LGETXATTR: rpCallTold, SYS_LISTXATTR: rpCallTold, SYS_LLISTXATTR: rpCallTold,
	SYS_GETPPID: rpCallTold, SYS_GETUID: rpCallTold, SYS_GETEUID: rpCallTold, SYS_GETGID: rpCallTold, SYS_GETEGID: rpCallTold,
	SYS_GETPGID: rpCallTold, SYS_GETSID: rpCallTold, SYS_GETPRIORITY: rpCallTold, SYS_SYSINFO: rpCallTold,
	SYS_RT_SIGPENDING: rpCallTold,

	// Names, and signals. What links, renames and mounts changes what other names mean, and so is
	// left to rpCallBoth.
	SYS_MKDIRAT: rpCallNameAt, SYS_UNLINKAT: rpCallNameAt,
	SYS_KILL: rpCallSignal, SYS_TKILL: rpCallSignal, SYS_TGKILL: rpCallSignalThread, SYS_EXIT_GROUP: rpCallExit,

	// Data of a descriptor.
	SYS_READ: rpCallRead, SYS_PREAD64: rpCallReadAt, SYS_READV: rpCallRead, SYS_PREADV: rpCallReadAt,
	SYS_WRITE: rpCallWrite, SYS_PWRITE64: rpCallWriteAt, SYS_WRITEV: rpCallWrite, SYS_PWRITEV: rpCallWriteAt,
	SYS_RECVFROM: rpCallReadFrom, SYS_RECVMSG: rpCallReadMsg, SYS_RECVMMSG: rpCallReadMsgs,
	SYS_SENDTO: rpCallWriteTo, SYS_SENDMSG: rpCallWriteMsg, 269 + 38*rpAmd64: rpCallWriteMsgs,
	SYS_SENDFILE: rpCallMoveOutIn, SYS_SPLICE: rpCallMoveIn1Out3, SYS_TEE: rpCallMoveIn1Out2,
	285 + 41*rpAmd64: rpCallMoveIn1Out3, // copy_file_range
	286 + 41*rpAmd64: rpCallRead,        // preadv2
	287 + 41*rpAmd64: rpCallWrite,       // pwritev2

	// The state of a descriptor's object.
	SYS_FSTAT: rpCallLook, SYS_FSTATFS: rpCallLook, SYS_GETDENTS64: rpCallRead, SYS_FGETXATTR: rpCallLook,
	SYS_FLISTXATTR: rpCallLook, SYS_LSEEK: rpCallSeek,
	SYS_FSYNC: rpCallLook, SYS_FDATASYNC: rpCallLook, SYS_FADVISE64: rpCallLook, SYS_READAHEAD: rpCallLook,
	SYS_FTRUNCATE: rpCallSet, SYS_FALLOCATE: rpCallSet, SYS_FCHMOD: rpCallSet, SYS_FCHOWN: rpCallSet,
	SYS_FSETXATTR: rpCallAlter, SYS_FREMOVEXATTR: rpCallAlter, SYS_IOCTL: rpCallIoctl, SYS_SHUTDOWN: rpCallShutdown,
	SYS_GETSOCKNAME: rpCallSelf, SYS_GETPEERNAME: rpCallSelf, SYS_SETSOCKOPT: rpCallSetOption, SYS_GETSOCKOPT: rpCallGetOption,
	SYS_FLOCK: rpCallLock, SYS_VMSPLICE: rpCallAlter,

	// Descriptors that come and go.
	SYS_OPENAT: rpCallOpenAt, SYS_CLOSE: rpCallClose, 436: rpCallCloseMany, // close_range
	SYS_DUP: rpCallDup, SYS_DUP3: rpCallDupTo, SYS_FCNTL: rpCallFcntl, SYS_PIPE2: rpCallPipe2, SYS_MKNODAT: rpCallMknodAt,
	SYS_SOCKET: rpCallSocket, SYS_SOCKETPAIR: rpCallSocketPair, SYS_BIND: rpCallBind, SYS_LISTEN: rpCallListen,
	SYS_CONNECT: rpCallConnect, SYS_ACCEPT: rpCallAccept, SYS_ACCEPT4: rpCallAccept,

	// Waiting for descriptors.
	SYS_PPOLL: rpCallPoll, SYS_PSELECT6: rpCallSelect, SYS_EPOLL_CTL: rpCallWatch, SYS_INOTIFY_INIT1: rpCallWatches, SYS_FANOTIFY_INIT: rpCallWatches, 425: rpCallRing, // io_uring_setup
	SYS_IO_SUBMIT: rpCallRing,

	439: rpCallTold2,                                  // faccessat2
	449: rpCallNone, 454: rpCallNone, 455: rpCallNone, // futex_waitv, futex_wake, futex_wait
}
