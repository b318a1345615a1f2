//go:build racepred_seam

package syscall

const rpAmd64 = 1

func init() {
	for _, c := range [...]struct {
		number int
		op     uint8
	}{
		{SYS_STAT, rpCallTold1}, {SYS_LSTAT, rpCallTold1}, {SYS_NEWFSTATAT, rpCallTold2}, {332, rpCallTold2}, // statx
		{SYS_INOTIFY_INIT, rpCallWatches},
		{SYS_ACCESS, rpCallTold1}, {SYS_READLINK, rpCallTold1}, {SYS_GETPGRP, rpCallTold}, {SYS_GETDENTS, rpCallRead},
		{SYS_MKDIR, rpCallName}, {SYS_RMDIR, rpCallName}, {SYS_UNLINK, rpCallName},
		{SYS_OPEN, rpCallOpen}, {SYS_DUP2, rpCallDupTo}, {SYS_PIPE, rpCallPipe}, {SYS_MKNOD, rpCallMknod},
		{SYS_POLL, rpCallPoll}, {SYS_SELECT, rpCallSelect},
		{SYS_TIME, rpCallNone}, {SYS_ARCH_PRCTL, rpCallNone},
		// getcpu, getrandom, membarrier, rseq
		{309, rpCallNone}, {318, rpCallNone}, {324, rpCallNone}, {334, rpCallNone},
	} {
		rpCalls[c.number] = c.op
	}
}
