package gotestplugin

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHowFar(t *testing.T) {
	require.Equal(t, "building the tests", howFar(false, 0, 3, 0))
	require.Equal(t, "package 1 of 3", howFar(true, 0, 3, 0))
	require.Equal(t, "package 3 of 3, findings so far: 2", howFar(true, 3, 3, 2))
}

// The line is gone before something is printed, and does not come back into the middle of a line.
func TestProgressStaysBeneath(t *testing.T) {
	var out bytes.Buffer
	c := &call{streams: streams{err: &out}}
	require.Nil(t, c.startProgress(nil), "no terminal")
	require.Equal(t, "text", c.paint(red, "text"), "no terminal")
	p := &progress{line: statusLine{call: c}, what: func() string { return "package 1 of 2" }, stopped: make(chan struct{})}
	w := p.beneath(&out)
	p.show()
	require.Equal(t, "\r\x1b[Kracepred: package 1 of 2", out.String()[:len("\r\x1b[Kracepred: package 1 of 2")])
	out.Reset()
	_, _ = w.Write([]byte("begun"))
	p.show()
	require.Equal(t, "\r\x1b[Kbegun", out.String())
	out.Reset()
	_, _ = w.Write([]byte(" and ended\n"))
	require.Equal(t, " and ended\n", out.String())
	p.show()
	p.stop()
	require.Equal(t, "\r\x1b[K", out.String()[out.Len()-len("\r\x1b[K"):])
	p.show()
	require.Equal(t, "\r\x1b[K", out.String()[out.Len()-len("\r\x1b[K"):])
}
