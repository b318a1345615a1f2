package witness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/trace"
)

func TestBytesIn(t *testing.T) {
	for addr := trace.Addr(60); addr < 80; addr++ {
		for size := range uint32(20) {
			want := uint8(0)
			for a := addr; a < addr+trace.Addr(size); a++ {
				if a>>3 == 8 {
					want |= 1 << (a & 7)
				}
			}
			require.Equal(t, want, bytesIn(8, &trace.Event{Addr: addr, Size: size}), "%d bytes at %d", size, addr)
		}
	}
}
