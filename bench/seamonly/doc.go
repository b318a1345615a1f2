// Package seamonly is what `go run ./bench -seam` measures: a test binary whose benchmarks run code that is not recorded.
package seamonly
