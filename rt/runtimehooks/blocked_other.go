//go:build racepred_seam && !go1.26

package runtime

import _ "unsafe" // go:linkname

// Before Go 1.26 it is not known which lock a goroutine waits for, and the collector does not find
// goroutines that no other can wake.

//go:linkname rp_blocked internal/racepred/process.runtime_blocked
func rp_blocked(find uint8, list []rpBlocked) (n int, quiet bool) { return 0, false }

//go:linkname rp_locking internal/racepred/process.runtime_locking
func rp_locking() (found bool) { return false }

func rpWeaklyReached(s *mspan, sp *special, gcw *gcWork) {}
