package library

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContains(t *testing.T) {
	for _, symbol := range strings.Fields("bytes.(*Buffer).Write strings.(*Builder).WriteString hash/fnv.(*sum32a).Write net/http.Header.Get os.(*File).Write container/list.(*List).PushBack") {
		require.True(t, Contains(symbol), symbol)
	}
	for _, symbol := range strings.Fields("bytes.(*Buffer).ReadFrom bytes.(*Buffer) bytes Write math/rand.(*Rand).Int bufio.(*Writer).Write os.(*File).Close example.com/bytes.(*Buffer).Write bytes.(*Buffer).Write-fm") {
		require.False(t, Contains(symbol), symbol)
	}
	require.Zero(t, testing.AllocsPerRun(1, func() { Contains("bytes.(*Buffer).Write") }))
}
