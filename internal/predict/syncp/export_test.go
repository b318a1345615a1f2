package syncp

// SetMaxSections changes the bound until the result is called.
func SetMaxSections(n int) (undo func()) {
	old := maxSections
	maxSections = n
	return func() { maxSections = old }
}
