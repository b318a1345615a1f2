package trace

// GuardBit makes a lock's address the name of its guard: an object on which nothing but Observe and Change is done, and these
// only within sections of the lock. No address of a process has the bit.
const GuardBit Addr = 1 << 47
