package engine

// Waiting is how many pairs wait for Flush.
func (e *Engine) Waiting() int { return len(e.pending.pairs) }
