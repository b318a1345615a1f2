package instrument

import _ "embed"

//go:embed helpers.go.txt
var helperSource []byte

// HelperSource is a file of package runtime: the functions that rewritten
// code calls besides those that package rt lists, made of these.
func HelperSource() []byte { return append([]byte(nil), helperSource...) }
