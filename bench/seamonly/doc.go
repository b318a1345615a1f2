// Package seamonly is the test binary that `go run ./bench -seam` measures. Its benchmarks run code
// that is not recorded.
package seamonly
