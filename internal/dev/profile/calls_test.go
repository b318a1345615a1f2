package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const hot, cold = ours + "engine.(*Engine).Take", ours + "engine.(*Engine).Flush"

// TestCalls: calls of others do not count (P2), each suite counts as much as another (P1), rare
// calls are left out (P3), and the heaviest come first.
func TestCalls(t *testing.T) {
	long, short := calls{}, calls{}
	require.NoError(t, long.read([]byte(header+"\n"+hot+"\n"+cold+"\n3 900\nmain.main\n"+hot+"\n1 5000\n"+cold+"\nfmt.Println\n2 5000\n"+cold+"\n"+hot+"\n-1 1\n")))
	require.NoError(t, long.read([]byte(header+"\n"+hot+"\n"+cold+"\n3 99\n")), "the next run of the same suite")
	require.Equal(t, calls{{hot, cold, 3}: 999, {cold, hot, -1}: 1}, long)
	require.NoError(t, short.read([]byte(header+"\n"+cold+"\n"+hot+"\n7 2\n")))
	sum := calls{}
	sum.add(long, 1000)
	sum.add(short, 1000)
	require.Equal(t, calls{{hot, cold, 3}: 999, {cold, hot, -1}: 1, {cold, hot, 7}: 1000}, sum)
	text := sum.common().text()
	require.Equal(t, header+"\n"+cold+"\n"+hot+"\n7 1000\n"+hot+"\n"+cold+"\n3 999\n", string(text))
	again := calls{}
	require.NoError(t, again.read(text))
	require.Equal(t, sum.common(), again)
}

// TestCallsMalformed: what is no such profile is an error.
func TestCallsMalformed(t *testing.T) {
	for _, text := range []string{"", "GO PREPROFILE V2\n", header + "\na\nb\n", header + "\na\nb\nx y\n"} {
		require.Error(t, calls{}.read([]byte(text)), "%q", text)
	}
}
