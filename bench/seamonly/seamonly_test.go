package seamonly

import (
	"testing"

	"example.org/racepred/seamonly/library"
)

func BenchmarkAlloc(b *testing.B)     { library.Alloc(b) }
func BenchmarkTree(b *testing.B)      { library.Tree(b) }
func BenchmarkSlice(b *testing.B)     { library.Slice(b) }
func BenchmarkJSON(b *testing.B)      { library.JSON(b) }
func BenchmarkMap(b *testing.B)       { library.Map(b) }
func BenchmarkGlobal(b *testing.B)    { library.Global(b) }
func BenchmarkMutex(b *testing.B)     { library.Mutex(b) }
func BenchmarkChannel(b *testing.B)   { library.Channel(b) }
func BenchmarkGoroutine(b *testing.B) { library.Goroutine(b) }
