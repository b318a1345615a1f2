// Servers and clients of net/http, net/rpc, crypto/tls and others, over the loopback.

package guarded

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/syslog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/rpc"
	"net/rpc/jsonrpc"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"
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

func TestNoRaceHTTPAnswer(t *testing.T) {
	var b box
	s := serve(t, func(http.ResponseWriter, *http.Request) {
		b.x = 1
		b.countLeft()
	})
	fetch(s.Client(), s.URL)
	b.countRight()
	b.x = 2
}

// Two connections that are kept alive, and the handlers of both.
func TestRaceHTTPAnswer(t *testing.T) {
	var b box
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/one":
			b.x = 1
			b.pass()
		case "/two":
			nap()
			b.pass()
			b.x = 2
		}
	})
	get2 := func(path string) {
		c := &http.Client{Transport: &http.Transport{}}
		defer c.CloseIdleConnections()
		fetch(c, s.URL)
		fetch(c, s.URL+path)
	}
	together(func() { get2("/one") }, func() { get2("/two") })
}

// The handlers of one connection come one after the other.
func TestNoRaceHTTPKeepAlive(t *testing.T) {
	var b box
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		b.pass()
		b.x++
		b.pass()
	})
	for range 3 {
		fetch(s.Client(), s.URL)
	}
}

// Those of two clients do not.
func TestRaceHTTPKeepAlive(t *testing.T) {
	var b box
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/second" {
			b.x = 1
		} else {
			b.pass()
			b.x = 2
		}
		b.pass()
		longNap()
	})
	together(func() {
		fetch(s.Client(), s.URL)
	}, func() {
		nap()
		fetch(s.Client(), s.URL+"/second")
	})
}

func TestNoRaceHTTPClientCancels(t *testing.T) {
	var b box
	done := make(chan bool)
	reached := make(chan bool)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
		b.pass()
		b.x = 2
		close(done)
	})
	ctx, cancel := context.WithCancel(context.Background())
	together(func() {
		r := get(http.NewRequestWithContext(ctx, "GET", s.URL, nil))
		s.Client().Do(r)
	}, func() {
		<-reached
		b.x = 1
		b.pass()
		cancel()
	})
	<-done
}

// The client gives up, and then notes it.
func TestRaceHTTPClientCancels(t *testing.T) {
	var b box
	done := make(chan bool)
	reached := make(chan bool)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
		nap()
		b.pass()
		b.x = 2
		close(done)
	})
	ctx, cancel := context.WithCancel(context.Background())
	together(func() {
		r := get(http.NewRequestWithContext(ctx, "GET", s.URL, nil))
		s.Client().Do(r)
		b.x = 1
		b.pass()
	}, func() {
		<-reached
		cancel()
	})
	<-done
}

func TestNoRaceHTTPStream(t *testing.T) {
	var b box
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b.x = 1
		b.countLeft()
		io.WriteString(w, "event\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	r := get(s.Client().Get(s.URL))
	get(bufio.NewReader(r.Body).ReadString('\n'))
	b.countRight()
	b.x = 2
	r.Body.Close()
}

// The handler goes on after the first event.
func TestRaceHTTPStream(t *testing.T) {
	var b box
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "event\n")
		w.(http.Flusher).Flush()
		b.x = 1
		b.countLeft()
		<-r.Context().Done()
	})
	r := get(s.Client().Get(s.URL))
	get(bufio.NewReader(r.Body).ReadString('\n'))
	nap()
	b.countRight()
	b.x = 2
	r.Body.Close()
}

func TestNoRaceHTTPUpload(t *testing.T) {
	var b box
	body, w := io.Pipe()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		get(bufio.NewReader(r.Body).ReadString('\n'))
		b.pass()
		b.x = 2
		io.Copy(io.Discard, r.Body)
	})
	together(func() {
		if r, err := s.Client().Post(s.URL, "text/plain", body); err == nil {
			r.Body.Close()
		}
	}, func() {
		b.x = 1
		b.pass()
		get(io.WriteString(w, "line\n"))
		w.Close()
	})
}

// The handler has what it waits for before.
func TestRaceHTTPUpload(t *testing.T) {
	var b box
	body, w := io.Pipe()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		get(bufio.NewReader(r.Body).ReadString('\n'))
		longNap()
		b.pass()
		b.x = 2
		io.Copy(io.Discard, r.Body)
	})
	together(func() {
		if r, err := s.Client().Post(s.URL, "text/plain", body); err == nil {
			r.Body.Close()
		}
	}, func() {
		get(io.WriteString(w, "line\n"))
		nap()
		b.x = 1
		b.pass()
		w.Close()
	})
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

// The client sends its body when the server says that it wants it.
func TestNoRaceHTTPContinue(t *testing.T) {
	var b box
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		b.x = 1
		b.pass()
		io.Copy(io.Discard, r.Body)
	})
	c := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Hour}}
	defer c.CloseIdleConnections()
	r := get(http.NewRequest("POST", s.URL, &asked{strings.NewReader("body"), func() {
		b.pass()
		b.x = 2
	}}))
	r.Header.Set("Expect", "100-continue")
	r.ContentLength = 4
	get(c.Do(r)).Body.Close()
}

// It does not wait for that.
func TestRaceHTTPContinue(t *testing.T) {
	var b box
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		b.x = 1
		b.pass()
		io.Copy(io.Discard, r.Body)
	})
	c := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: 10 * time.Millisecond}}
	defer c.CloseIdleConnections()
	body, w := io.Pipe()
	together(func() {
		get(c.Post(s.URL, "text/plain", body)).Body.Close()
	}, func() {
		nap()
		b.pass()
		b.x = 2
		w.Close()
	})
}

func TestNoRaceHTTPServerEnds(t *testing.T) {
	var b box
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		b.x = 1
		b.pass()
		c.Close()
	})
	_, err := s.Client().Get(s.URL)
	b.pass()
	b.x = 2
	if err == nil {
		t.Error("there was an answer")
	}
}

// The connection is closed, and the handler is not at its end.
func TestRaceHTTPServerEnds(t *testing.T) {
	var b box
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		c.Close()
		b.x = 1
		b.pass()
	})
	s.Client().Get(s.URL)
	nap()
	b.pass()
	b.x = 2
}

func TestNoRaceHTTPProxy(t *testing.T) {
	var b box
	back := serve(t, func(http.ResponseWriter, *http.Request) {
		b.x = 1
		b.pass()
	})
	front := serve(t, httputil.NewSingleHostReverseProxy(get(url.Parse(back.URL))).ServeHTTP)
	fetch(front.Client(), front.URL)
	b.pass()
	b.x = 2
}

// The client's patience ends before the server behind the proxy has answered.
func TestRaceHTTPProxy(t *testing.T) {
	var b box
	release := make(chan bool)
	back := serve(t, func(http.ResponseWriter, *http.Request) {
		b.x = 1
		b.pass()
		<-release
	})
	front := serve(t, func(w http.ResponseWriter, r *http.Request) {
		go fetch(back.Client(), back.URL)
		w.WriteHeader(http.StatusAccepted)
	})
	fetch(front.Client(), front.URL)
	nap()
	b.pass()
	b.x = 2
	close(release)
}

func TestNoRaceHTTPUntilUp(t *testing.T) {
	var b box
	address := freeAddress()
	s := &http.Server{Addr: address, Handler: http.NotFoundHandler()}
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	together(func() {
		b.x = 1
		b.pass()
		s.ListenAndServe()
	}, func() {
		until(t, func() bool {
			r, err := c.Get("http://" + address)
			if err == nil {
				r.Body.Close()
			}
			return err == nil
		})
		b.pass()
		b.x = 2
		s.Close()
	})
}

// The server is up, and its owner is still busy with the state.
func TestRaceHTTPUntilUp(t *testing.T) {
	var b box
	l := tcpListener(t)
	s := &http.Server{Handler: http.NotFoundHandler()}
	go s.Serve(l)
	defer s.Close()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	together(func() {
		b.x = 1
		b.pass()
	}, func() {
		nap()
		until(t, func() bool {
			r, err := c.Get("http://" + l.Addr().String())
			if err == nil {
				r.Body.Close()
			}
			return err == nil
		})
		b.pass()
		b.x = 2
	})
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

func TestNoRaceRPC(t *testing.T) {
	var b box
	c := rpcClient(t, func(n int) {
		b.x = n
		b.countLeft()
	})
	reply := 0
	must(c.Call("Arith.Do", 1, &reply))
	b.countRight()
	b.x = 2
}

// Two calls on one connection run at the same time.
func TestRaceRPC(t *testing.T) {
	var b box
	c := rpcClient(t, func(n int) {
		if n == 1 {
			b.x = n
			b.pass()
		} else {
			nap()
			b.pass()
			b.x = n
		}
	})
	reply1, reply2 := 0, 0
	one, two := c.Go("Arith.Do", 1, &reply1, nil), c.Go("Arith.Do", 2, &reply2, nil)
	<-one.Done
	<-two.Done
}

func TestNoRaceRPCShutdown(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	c := jsonrpc.NewClient(client)
	together(func() {
		get(bufio.NewReader(server).ReadString('\n'))
		b.x = 1
		b.pass()
		server.Close()
	}, func() {
		reply := 0
		if err := c.Call("Arith.Do", 1, &reply); errors.Is(err, io.ErrUnexpectedEOF) {
			b.pass()
			b.x = 2
		}
	})
}

// The server looks at the request after it has closed.
func TestRaceRPCShutdown(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	c := jsonrpc.NewClient(client)
	together(func() {
		get(bufio.NewReader(server).ReadString('\n'))
		server.Close()
		b.x = 1
		b.pass()
	}, func() {
		reply := 0
		if err := c.Call("Arith.Do", 1, &reply); errors.Is(err, io.ErrUnexpectedEOF) {
			nap()
			b.pass()
			b.x = 2
		}
	})
}

// tlsPair is a connection with a server's certificate, before its handshake.
func tlsPair(t *testing.T) (client, server *tls.Conn) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	c1, c2 := tcpPair(t)
	return tls.Client(c1, &tls.Config{InsecureSkipVerify: true}), tls.Server(c2, &tls.Config{Certificates: s.TLS.Certificates})
}

func TestNoRaceTLSHandshake(t *testing.T) {
	var b box
	client, server := tlsPair(t)
	together(func() {
		b.x = 1
		b.pass()
		must(server.Handshake())
	}, func() {
		must(client.Handshake())
		b.pass()
		b.x = 2
	})
}

// What the server does after its handshake the client does not wait for.
func TestRaceTLSHandshake(t *testing.T) {
	var b box
	client, server := tlsPair(t)
	together(func() {
		must(server.Handshake())
		b.x = 1
		b.pass()
	}, func() {
		must(client.Handshake())
		time.Sleep(30 * time.Millisecond)
		b.pass()
		b.x = 2
	})
}

func TestNoRaceTLSClose(t *testing.T) {
	var b box
	client, server := tlsPair(t)
	together(func() {
		must(server.Handshake())
		b.x = 1
		b.pass()
		server.Close()
	}, func() {
		get(io.ReadAll(client))
		b.pass()
		b.x = 2
	})
}

// The server has closed before.
func TestRaceTLSClose(t *testing.T) {
	var b box
	client, server := tlsPair(t)
	together(func() {
		must(server.Handshake())
		server.Close()
		nap()
		b.x = 1
		b.pass()
	}, func() {
		get(io.ReadAll(client))
		longNap()
		b.pass()
		b.x = 2
	})
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

// The client does not wait for the answer.
func TestRaceTextproto(t *testing.T) {
	var b box
	client, server := tcpPair(t)
	together(func() {
		c := textproto.NewConn(server)
		get(c.ReadLine())
		b.x = 1
		b.pass()
		longNap()
		must(c.PrintfLine("250 ok"))
	}, func() {
		c := textproto.NewConn(client)
		get(c.Cmd("HELO"))
		nap()
		b.pass()
		b.x = 2
		c.ReadCodeLine(250)
	})
}

func TestNoRaceSyslog(t *testing.T) {
	var b box
	to := unixgram(t)
	w := get(syslog.Dial("unixgram", to.LocalAddr().String(), syslog.LOG_INFO, "guarded"))
	defer w.Close()
	together(func() {
		b.x = 1
		b.pass()
		must(w.Info("done"))
	}, func() {
		to.ReadFrom(make([]byte, 99))
		b.pass()
		b.x = 2
	})
}

// Each has a log of its own, and nobody reads.
func TestRaceSyslog(t *testing.T) {
	var b box
	to, to2 := unixgram(t), unixgram(t)
	w1 := get(syslog.Dial("unixgram", to.LocalAddr().String(), syslog.LOG_INFO, "one"))
	defer w1.Close()
	w2 := get(syslog.Dial("unixgram", to2.LocalAddr().String(), syslog.LOG_INFO, "two"))
	defer w2.Close()
	together(func() {
		b.x = 1
		b.pass()
		must(w1.Info("done"))
	}, func() {
		nap()
		must(w2.Info("done"))
		b.pass()
		b.x = 2
	})
}

// A resolver asks a server of this process.
func TestNoRaceResolver(t *testing.T) {
	var b box
	server := udpSocket(t)
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	together(func() {
		p := make([]byte, 512)
		n, from, _ := server.ReadFrom(p)
		b.x = 1
		b.pass()
		for n > 0 {
			p[2], p[3] = 0x84, 3 // there is no such name
			server.WriteTo(p[:n], from)
			n, from, _ = server.ReadFrom(p)
		}
	}, func() {
		_, err := r.LookupTXT(ctx, "name.invalid.")
		if e := new(net.DNSError); errors.As(err, &e) && e.IsNotFound {
			b.pass()
			b.x = 2
		}
		server.Close()
	})
	if b.x != 2 {
		t.Error("the server did not answer")
	}
}

// The question is on its way while the client gives up.
func TestRaceResolver(t *testing.T) {
	var b box
	server := udpSocket(t)
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	together(func() {
		server.ReadFrom(make([]byte, 512))
		b.x = 1
		b.pass()
	}, func() {
		r.LookupTXT(ctx, "name.invalid.")
		b.pass()
		b.x = 2
	})
}
