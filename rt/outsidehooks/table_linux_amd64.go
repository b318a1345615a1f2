//go:build racepred_seam

package syscall

const rpAmd64 = 1

func init() {
	for _, c := range [...]struct {
		number int
		op     uint8
	}{
		{SYS_STAT, rpCallTold}, {SYS_LSTAT, rpCallTold}, {SYS_NEWFSTATAT, rpCallTold}, {332, rpCallTold}, // statx
		{SYS_ACCESS, rpCallTold}, {SYS_READLINK, rpCallTold}, {SYS_GETPGRP, rpCallTold}, {SYS_GETDENTS, rpCallRead},
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
