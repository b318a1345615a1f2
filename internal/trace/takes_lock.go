package trace

// TakesLock reports whether event k of a goroutine is one of rewritten code that takes a lock, or
// is part of that: package sync reads the first byte of a lock before it takes it. Such code has
// seen nothing of what is kept under the lock; other code may have, as its accesses are not
// recorded. own has the places of the goroutine's events in evs.
func TakesLock[Place int | int32](evs []Event, own []Place, k int) bool {
	at := evs[own[k]].Addr
	for ; k < len(own); k++ {
		ev := &evs[own[k]]
		switch {
		case ev.Kind.Spec().Opens:
			return ev.Addr == at && ev.Flags&FlagHard == 0 && !ev.Unseen()
		case ev.Kind != Read || ev.Site != 0 || ev.Size != 1 || ev.Addr != at:
			return false
		}
	}
	return false
}
