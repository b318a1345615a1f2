// What servers of net/http and httptest keep about their connections.

package guarded

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// fetchAlone is fetch with a connection of its own.
func fetchAlone(address string) { fetch(&http.Client{Transport: &http.Transport{}}, address) }

// visitors fetches from the address once for each of n clients, one after another.
func visitors(address string, n int) {
	clients := make([]func(), n)
	for i := range clients {
		clients[i] = func() {
			c := &http.Client{Transport: &http.Transport{}}
			defer c.CloseIdleConnections()
			fetch(c, address)
		}
	}
	inTurn(clients...)
}

// Each client has its own connection, and none waits for another.
func TestRaceHandlersApart(t *testing.T) {
	var b box
	s := serve(t, func(http.ResponseWriter, *http.Request) { b.x++ })
	visitors(s.URL, 6)
}

// Close waits for the handlers.
func TestNoRaceHandlersClosed(t *testing.T) {
	var b [6]box
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b[int(r.URL.Path[1]-'0')].x++
	}))
	clients := make([]func(), len(b))
	for i := range clients {
		clients[i] = func() {
			nap()
			fetchAlone(s.URL + "/" + string(rune('0'+i)))
		}
	}
	inTurn(clients...)
	s.Close()
	for i := range b {
		b[i].x++
	}
}

// The server is closed by force, and the handler goes on.
func TestRaceHandlersClosed(t *testing.T) {
	var b box
	done := make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		b.x++
		close(done)
	}))
	go fetchAlone(s.URL)
	longNap()
	b.x++
	<-done
	s.Close()
}

// httptest calls the hook of the test under its own lock.
func TestNoRaceHandlersHook(t *testing.T) {
	states := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ConnState = func(net.Conn, http.ConnState) { states++ }
	s.Start()
	visitors(s.URL, 4)
	s.Close()
	if states == 0 {
		t.Error("the hook was not called")
	}
}

// http.Server calls it without one.
func TestRaceHandlersHook(t *testing.T) {
	states := 0
	l := tcpListener(t)
	s := &http.Server{ConnState: func(net.Conn, http.ConnState) { states++ }}
	go s.Serve(l)
	defer s.Close()
	visitors("http://"+l.Addr().String(), 6)
}

// Shutdown waits for the handlers.
func TestNoRaceHandlersShutdown(t *testing.T) {
	var b box
	l := tcpListener(t)
	begun := make(chan bool)
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(begun)
		nap()
		b.x++
	})}
	go s.Serve(l)
	go fetchAlone("http://" + l.Addr().String())
	<-begun
	must(s.Shutdown(context.Background()))
	b.x++
}

// It waits no longer than it is told.
func TestRaceHandlersShutdown(t *testing.T) {
	var b box
	l := tcpListener(t)
	begun, over := make(chan bool), make(chan bool)
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(begun)
		longNap()
		b.x++
		close(over)
	})}
	go s.Serve(l)
	go fetchAlone("http://" + l.Addr().String())
	<-begun
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	s.Shutdown(ctx)
	b.x++
	<-over
	s.Close()
}
