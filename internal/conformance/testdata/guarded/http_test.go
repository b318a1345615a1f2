// Servers and clients of net/http, net/rpc, crypto/tls and others, over the loopback.

package guarded

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"net/rpc"
	"net/textproto"
	"testing"
)

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// fetch is a GET that throws the answer away.
func fetch(c *http.Client, address string) {
	if r, err := c.Get(address); err == nil {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
}

// asked is a body that says when it is read.
type asked struct {
	io.Reader
	read func()
}

func (a *asked) Read(p []byte) (int, error) {
	if a.read != nil {
		a.read()
		a.read = nil
	}
	return a.Reader.Read(p)
}

// Arith is a service.
type Arith struct{ call func(n int) }

func (a *Arith) Do(n int, reply *int) error {
	a.call(n)
	*reply = n
	return nil
}

func rpcClient(t *testing.T, call func(n int)) *rpc.Client {
	s := rpc.NewServer()
	must(s.Register(&Arith{call}))
	client, server := tcpPair(t)
	go s.ServeConn(server)
	c := rpc.NewClient(client)
	t.Cleanup(func() { c.Close() })
	return c
}

// tlsPair is a connection with a server's certificate, before its handshake.
func tlsPair(t *testing.T) (client, server *tls.Conn) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	c1, c2 := tcpPair(t)
	return tls.Client(c1, &tls.Config{InsecureSkipVerify: true}), tls.Server(c2, &tls.Config{Certificates: s.TLS.Certificates})
}

func TestNoRaceTextproto(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		c := textproto.NewConn(server)
		get(c.ReadLine())
		b.x = 1
		b.pass()
		must(c.PrintfLine("250 ok"))
	}, func() {
		c := textproto.NewConn(client)
		get(c.Cmd("HELO"))
		c.ReadCodeLine(250)
		b.pass()
		b.x = 2
	})
}

// The client sends its next command at once.
func TestRaceTextproto(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		c := textproto.NewConn(server)
		get(c.ReadLine())
		b.x = 1
		b.pass()
		must(c.PrintfLine("250 ok"))
	}, func() {
		c := textproto.NewConn(client)
		get(c.Cmd("HELO"))
		nap()
		get(c.Cmd("QUIT"))
		b.pass()
		b.x = 2
	})
}
