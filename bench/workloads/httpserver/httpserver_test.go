// Package httpserver puts load on an HTTP server of the same process, over loopback.
package httpserver

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

type counters struct {
	mu   sync.Mutex
	hits map[string]int
}

func (c *counters) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	c.mu.Lock()
	c.hits[name]++
	n := c.hits[name]
	c.mu.Unlock()
	fmt.Fprintf(w, "%d", n)
}

func TestServer(t *testing.T) {
	const clients, requests = 8, 3000
	c := &counters{hits: make(map[string]int)}
	s := httptest.NewServer(c)
	defer s.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	var wg sync.WaitGroup
	for w := range clients {
		wg.Go(func() {
			for i := range requests {
				r, err := client.Get(s.URL + "/" + strconv.Itoa(i%10+w))
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(r.Body)
				r.Body.Close()
				if n, e := strconv.Atoi(string(body)); err != nil || e != nil || n < 1 {
					t.Errorf("%q, %v", body, err)
					return
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range c.hits {
		sum += n
	}
	if sum != clients*requests {
		t.Fatalf("%d requests counted, want %d", sum, clients*requests)
	}
}
