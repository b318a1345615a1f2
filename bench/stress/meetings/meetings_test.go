// Package meetings has goroutines that meet one that always comes late. The late one records for
// both; what the other one did before has to be known by then, though the recorder looks at
// goroutines one after the other: the other one first, since it was started last.
package meetings

import (
	"flag"
	"sync"
	"testing"
	"time"
)

var duration = flag.Duration("for", 2*time.Second, "how long")

// counts are changed by both in turn.
type counts struct{ first, second, both int }

func TestMeetings(t *testing.T) {
	end := time.Now().Add(*duration)
	stop := make(chan struct{})
	there, back := make(chan int), make(chan int)
	var c counts
	meetings := 0
	var all sync.WaitGroup
	all.Go(func() { // comes late
		<-stop
		for time.Now().Before(end) {
			work()
			there <- 1
			c.first++
			work()
			back <- 1
			meetings++
		}
		close(there)
	})
	for range 5 {
		all.Go(func() {
			<-stop
			time.Sleep(time.Until(end))
		})
	}
	all.Go(func() { // waits
		for range there {
			c.second++
			<-back
			c.both++
			c.first++
		}
	})
	all.Go(func() { // has the recorder's buffers drained
		list := make([]int, 1000)
		for n := 0; time.Now().Before(end); n++ {
			for i := range list {
				list[i] += n
			}
			own := make(chan int, 1)
			own <- n
			<-own
		}
	})
	time.Sleep(*duration / 10)
	close(stop)
	all.Wait()
	if c.first != 2*meetings || c.second != meetings || c.both != meetings {
		t.Errorf("%+v after %d meetings", c, meetings)
	}
	t.Logf("%d meetings", meetings)
}

//go:noinline
func work() (n int) {
	for i := range 3000 {
		n += i * i
	}
	return n
}
