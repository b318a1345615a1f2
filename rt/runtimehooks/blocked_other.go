//go:build racepred_seam && !go1.26

package runtime

import _ "unsafe" // go:linkname

// Before Go 1.26 a goroutine does not say which lock it waits for, and the collector does not look for those that nobody can wake.

//go:linkname rp_blocked internal/racepred/process.runtime_blocked
func rp_blocked(find uint8, list []rpBlocked) (n int, quiet bool) { return 0, false }

//go:linkname rp_locking internal/racepred/process.runtime_locking
func rp_locking() (found bool) { return false }

func rpWeaklyReached(s *mspan, sp *special, gcw *gcWork) {}
