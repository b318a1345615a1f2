//go:build racepred_seam

package syscall

const rpAmd64 = 0

func init() {
	for _, c := range [...]struct {
		number int
		op     uint8
	}{
		{SYS_FSTATAT, rpCallTold2}, {291, rpCallTold2}, // statx
		{SYS_GETCPU, rpCallNone}, {SYS_GETRANDOM, rpCallNone},
		{283, rpCallNone}, {293, rpCallNone}, // membarrier, rseq
	} {
		rpCalls[c.number] = c.op
	}
}
