// Package load has an HTTP server with 8 clients that keep their connections; one of them asks until the process ends.
package load

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

func TestNoRaceLoadServer(t *testing.T) {
	var mu sync.Mutex
	visits := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		visits[r.URL.Path]++
		n := visits[r.URL.Path]
		mu.Unlock()
		fmt.Fprintln(w, r.URL.Path, n)
	}))
	var clients sync.WaitGroup
	for c := range 8 {
		client := &http.Client{Transport: &http.Transport{}}
		ask := func() error {
			answer, err := client.Get(fmt.Sprintf("%s/client/%d", server.URL, c))
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			_, err = io.Copy(io.Discard, answer.Body)
			return err
		}
		clients.Go(func() {
			for range 50 {
				if err := ask(); err != nil {
					t.Error(err)
					return
				}
			}
		})
		if c == 0 {
			go func() {
				for {
					time.Sleep(20 * time.Millisecond)
					ask()
				}
			}()
		}
	}
	clients.Wait()
}
