package trace

// OpaqueTokenBit makes a lock's address the name of its opaque token: an object on which nothing
// but Observe and Change is done, and these only within sections of the lock. No address of a
// process has the bit.
const OpaqueTokenBit Addr = 1 << 47
